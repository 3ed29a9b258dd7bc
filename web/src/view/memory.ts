/** What the browser keeps for the page. Storage can be switched off; then it lasts as long as the page. */

/** recall gives what was remembered under a name, "" where nothing was. */
export function recall(name: string): string {
  try {
    return localStorage.getItem(name) ?? "";
  } catch {
    return "";
  }
}

export function remember(name: string, text: string): void {
  try {
    localStorage.setItem(name, text);
  } catch {
    return;
  }
}
