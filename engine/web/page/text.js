// Formats words and numbers for display, and creates elements.

const STEPS_PER_DISC = 32;

export const SIDES = { X: "Black", O: "White" };

export function discs(steps) {
  return steps / STEPS_PER_DISC;
}

// Formats a value in discs with its sign and `digits` decimal places.
export function signed(value, digits = 1) {
  const text = Math.abs(value).toFixed(digits);
  const sign = Number(text) === 0 ? "" : value > 0 ? "+" : "−";
  return sign + text;
}

export function valueText(found) {
  return signed(discs(found.steps), found.exact ? 0 : 1);
}

// Converts the number of a square, 0 to 63, to its name, such as "e6".
export function squareName(number) {
  return "abcdefgh"[number % 8] + (Math.floor(number / 8) + 1);
}

export function squareNumber(name) {
  return name.charCodeAt(0) - 97 + 8 * (name.charCodeAt(1) - 49);
}

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  return filled(made, attributes, children);
}

export function drawn(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  return filled(made, attributes, children);
}

function filled(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}
