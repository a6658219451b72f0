// Creating and updating elements. Nodes are updated in place, so that focus and selection survive every poll.

const SVG = "http://www.w3.org/2000/svg";

/** Make an element; `on` holds listeners, `text` its text, and everything else is an attribute. */
export function el(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** Make an element of a drawing. */
export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(node, { text, on, ...attributes }, children) {
  for (const [name, value] of Object.entries(attributes)) setAttribute(node, name, value);
  for (const [event, listener] of Object.entries(on ?? {})) node.addEventListener(event, listener);
  if (text !== undefined) node.textContent = text;
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** Set an attribute where it differs; null, undefined and false take it away. */
export function setAttribute(node, name, value) {
  if (value === null || value === undefined || value === false) {
    if (node.hasAttribute(name)) node.removeAttribute(name);
  } else {
    const text = value === true ? "" : String(value);
    if (node.getAttribute(name) !== text) node.setAttribute(name, text);
  }
}

/** Set a text where it differs. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

const kept = new WeakMap();

/** Make a parent's children follow a list: those that stay are updated, moved only where their place has changed. */
export function follow(parent, items, keyOf, create, update) {
  const before = kept.get(parent) ?? new Map();
  const after = new Map();
  let place = parent.firstChild;
  for (const item of items) {
    const key = keyOf(item);
    const row = before.get(key) ?? create(item);
    update(row, item);
    after.set(key, row);
    const node = row.node ?? row;
    if (node === place) place = place.nextSibling;
    else parent.insertBefore(node, place);
  }
  for (const [key, row] of before) if (!after.has(key)) (row.node ?? row).remove();
  kept.set(parent, after);
}

/** A table with a caption for screen readers; `columns` are {name, label, class}. */
export function table(caption, columns, className = "") {
  // Roles are spelled out: a table that a narrow screen shows as cards stays a table for a screen reader.
  const body = el("tbody", { role: "rowgroup" });
  const head = columns.map((column) =>
    el("th", { role: "columnheader", scope: "col", class: column.class, title: column.title }, column.head ?? column.label),
  );
  const node = el(
    "table",
    { role: "table", class: `cards ${className}` },
    el("caption", { class: "unseen", text: caption }),
    el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, ...head)),
    body,
  );
  return { node: el("div", { class: "scroll", role: "group", "aria-label": caption, tabindex: "0" }, node), body, columns, head };
}

/** A row of such a table; `cells` gives each cell by its column's name. */
export function tableRow(columns) {
  const cells = {};
  const nodes = columns.map((column, index) => {
    const isName = index === 0;
    cells[column.name] = el(isName ? "th" : "td", {
      role: isName ? "rowheader" : "cell",
      scope: isName ? "row" : null,
      class: column.class,
      "data-label": column.label,
    });
    return cells[column.name];
  });
  return { node: el("tr", { role: "row" }, ...nodes), cells };
}

/** A word in a frame: `tone` is good, warning, critical, or nothing. */
export function badge(text, tone = "") {
  return el("span", { class: `badge ${tone}`, text });
}
