/** Whether a text has a tag, so that it may differ between rows: `{{`, `{%` or `{#`. */
export function isTemplate(text: string): boolean {
  return /\{[{%#]/.test(text);
}
