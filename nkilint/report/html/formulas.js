// Formulas over sizes: an int, the name of a size, or a list of an operator and its operands.

const OPERATORS = {
  "+": (...terms) => terms.reduce((a, b) => a + b, 0),
  "*": (...factors) => factors.reduce((a, b) => a * b, 1),
  "//": (a, b) => Math.floor(a / b),
  "2**": (a) => Math.floor(2 ** a),
  "min": Math.min,
  "max": Math.max,
  "?": (condition, a, b) => (condition ? a : b),
  ">=": (a) => a >= 0,
  "==": (a) => a === 0,
  "!=": (a) => a !== 0,
  "and": (...parts) => parts.every(Boolean),
  "or": (...parts) => parts.some(Boolean),
};

function valueOf(formula, numbers) {
  if (typeof formula === "string") return numbers[formula];
  if (!Array.isArray(formula)) return formula;
  const [operator, ...operands] = formula;
  return OPERATORS[operator](...operands.map((operand) => valueOf(operand, numbers)));
}

const namesIn = (formula) =>
  typeof formula === "string" ? [formula] : Array.isArray(formula) ? formula.slice(1).flatMap(namesIn) : [];

// The values that a slider offers for a size: those that the conditions admit while the other sizes stay.
function candidates(name, numbers, admitted, sample) {
  const all = new Set([sample]);
  for (let n = 1; n <= 131072; n *= 2) all.add(n).add(n + n / 2);
  for (let n = 128; n <= 4096; n += 128) all.add(n);
  const mine = admitted.filter(([, formula]) => namesIn(formula).includes(name));
  const whole = [...all].filter(Number.isInteger).sort((a, b) => a - b);
  const good = whole.filter((n) => mine.every(([, formula]) => valueOf(formula, { ...numbers, [name]: n })));
  return good.length > 1 ? good : whole;
}
