// A view is its address: whoever gets the link sees the same.
export function read() { return Object.fromEntries(new URLSearchParams(location.search)); }

export function write(changes, { remember = false } = {}) {
  const now = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === "" || value === null || value === undefined) now.delete(name); else now.set(name, value);
  }
  const text = now.toString();
  const where = location.pathname + (text ? "?" + text : "") + location.hash;
  if (remember) history.pushState(null, "", where); else history.replaceState(null, "", where);
}

export function query(values) {
  const found = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== "" && value !== null && value !== undefined) found.set(name, value);
  return found.toString();
}
