"""Python in documents: the code blocks of Markdown and reStructuredText, and the cells of notebooks."""
