/** Makes elements. Data becomes text nodes and attributes only: the page runs under Trusted Types and has no innerHTML. */
import { getOrInsert } from "../base/getorinsert.ts";

type Value = string | number | boolean | undefined;
export type Attrs = Readonly<Record<string, Value>>;
export type Child = Node | string | undefined | false;

/** h makes an HTML element. An attribute that is false or undefined is left out, true is written empty. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attrs: Attrs = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attrs, children);
}

/** s makes an SVG element. */
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attrs: Attrs = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attrs, children);
}

/** fill gives an element attributes and children. */
export function fill<E extends Element>(element: E, attrs: Attrs, children: readonly Child[] = []): E {
  for (const [name, value] of Object.entries(attrs)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child !== undefined && child !== false) element.append(child);
  }
  return element;
}

/** part finds the element that the template marks with data-part. It throws: a missing one is a broken build. */
export function part<E extends Element = HTMLElement>(root: ParentNode, name: string): E {
  const known = getOrInsert(parts, root, () => new Map<string, Element>());
  const before = known.get(name);
  if (before !== undefined && root.contains(before)) return before as E;
  const found = root.querySelector<E>(`[data-part="${name}"]`);
  if (found === null) throw new Error(`the page has no part ${name}`);
  known.set(name, found);
  return found;
}

/** The parts that were found: asked for on every frame, a search each time would cost more than what is written there. */
const parts = new WeakMap<ParentNode, Map<string, Element>>();

/** the finds an element by its id and checks what it is. */
export function the<E extends Element>(id: string, kind: abstract new () => E): E {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`the page has no ${id}: its script and its templates do not belong together`);
}

/** say sets an element's text, unless it stands there already. */
export function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** show hides or shows; SVG elements have no property hidden. */
export function show(element: Element, visible: boolean): void {
  if (element.hasAttribute("hidden") === visible) element.toggleAttribute("hidden", !visible);
}

/** attr sets an attribute, unless it is so already. */
export function attr(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** copied puts text on the clipboard, and answers whether the browser has allowed it. */
export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without TLS there is no such thing, nor where it is forbidden.
    return copiedByHand(text);
  }
}

/** Copies as a person would: the text is selected in a field, which stands in the dialog if one is open. */
function copiedByHand(text: string): boolean {
  const before = document.activeElement;
  const field = h("textarea", { class: "quiet-voice", "aria-hidden": "true" });
  field.value = text;
  (document.querySelector("dialog[open]") ?? document.body).append(field);
  field.select();
  const ok = document.execCommand("copy");
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return ok;
}

/**
 * Keyed keeps the children of a list in step with keyed data, and reuses their elements, so that a click or
 * the focus survives a repaint.
 */
export class Keyed<T, E extends Element> {
  private readonly made = new Map<string, E>();
  private readonly root: Element;
  private readonly key: (item: T) => string;
  private readonly make: (item: T) => E;
  private readonly update: (element: E, item: T) => void;

  constructor(root: Element, key: (item: T) => string, make: (item: T) => E, update: (element: E, item: T) => void) {
    this.root = root;
    this.key = key;
    this.make = make;
    this.update = update;
  }

  paint(items: readonly T[]): void {
    const wanted = new Set(items.map(this.key));
    for (const [key, element] of this.made) {
      if (wanted.has(key)) continue;
      element.remove();
      this.made.delete(key);
    }
    let at = this.root.firstElementChild;
    for (const item of items) {
      const element = this.of(item);
      this.update(element, item);
      if (element === at) at = at.nextElementSibling;
      else this.root.insertBefore(element, at);
    }
  }

  private of(item: T): E {
    const key = this.key(item);
    const known = this.made.get(key);
    if (known !== undefined) return known;
    const element = this.make(item);
    this.made.set(key, element);
    return element;
  }
}
