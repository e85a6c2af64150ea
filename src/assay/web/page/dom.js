// Elements made of text, and changed in place. Text becomes text: there is no way here to make markup of it.

function heard(event) {
  const handler = this.assayOn[event.type];
  if (handler) handler.call(this, event);
}

function listen(node, handlers) {
  const had = node.assayOn || {};
  for (const type of Object.keys(handlers)) if (!(type in had)) node.addEventListener(type, heard);
  node.assayOn = { ...Object.fromEntries(Object.keys(had).map((type) => [type, null])), ...handlers };
}

const SVG = new Set(["svg", "path", "line", "rect", "circle", "text", "g", "title"]);

export function el(tag, props, ...children) {
  const made = SVG.has(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") listen(made, value);
    else if (name === "data") Object.assign(made.dataset, value);
    else if (name === "style") Object.assign(made.style, value);
    else if (name === "checked" || name === "indeterminate") made[name] = true;
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...nodes(children));
  return made;
}

function nodes(children) {
  return children.flat(3).filter((child) => child !== null && child !== undefined && child !== false && child !== "")
    .map((child) => child instanceof Node ? child : document.createTextNode(String(child)));
}

const keyOf = (node) => node.dataset ? node.dataset.key : undefined;

function alike(one, other) {
  return one.nodeName === other.nodeName && keyOf(one) === keyOf(other) && (one.id || "") === (other.id || "");
}

// Makes the children of a node what they should be, and keeps every element that is still wanted: whatever has the
// focus keeps it, and what was scrolled stays scrolled.
export function patch(parent, ...children) {
  let at = parent.firstChild;
  for (const wanted of nodes(children)) {
    const match = found(parent, at, wanted);
    if (match === null) {
      parent.insertBefore(wanted, at);
      continue;
    }
    if (match !== at) bring(parent, match, at);
    if (match !== wanted) renew(match, wanted);
    at = match.nextSibling;
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

function found(parent, from, wanted) {
  if (wanted.parentNode === parent) return wanted;
  for (let at = from; at; at = at.nextSibling) if (alike(at, wanted)) return at;
  return null;
}

// An element that is moved loses the focus: then the others are moved instead.
function bring(parent, match, before) {
  if (!match.contains(document.activeElement)) {
    parent.insertBefore(match, before);
    return;
  }
  while (before !== match) {
    const next = before.nextSibling;
    parent.append(before);
    before = next;
  }
}

function renew(old, wanted) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== wanted.data) old.data = wanted.data;
    return;
  }
  const focused = old === document.activeElement;
  for (const { name } of [...old.attributes]) if (!wanted.hasAttribute(name) && !(focused && name === "tabindex")) old.removeAttribute(name);
  for (const { name, value } of wanted.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  if (old.assayOn || wanted.assayOn) listen(old, wanted.assayOn || {});
  if (old.nodeName === "INPUT") {
    if (old.type === "checkbox") old.checked = wanted.checked;
    else if (!focused) old.value = wanted.value;
    return;
  }
  if ("own" in old.dataset) return;  // it looks after its children itself
  patch(old, ...wanted.childNodes);
  if (old.nodeName === "SELECT" && !focused) old.value = wanted.value;
}
