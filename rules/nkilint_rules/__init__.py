"""The rulebook: what NeuronCores and the Neuron Kernel Interface require."""
