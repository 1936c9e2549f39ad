const jsonOf = (text: string) => JSON.stringify(text).slice(1, -1);
const hexOf = (text: string, digits: number) => text.charCodeAt(0).toString(16).padStart(digits, '0');
const base64Of = (text: string) => Buffer.from(text).toString('base64');
const lowerPercent = (text: string) => encodeURIComponent(text).replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
const everyByte = (text: string) => Array.from(Buffer.from(text), (byte) => `%${hexOf(String.fromCharCode(byte), 2)}`);

/** The forms in which servers echo a secret. */
export const secretForms: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  'JSON-escaped': jsonOf,
  'JSON-escaped, slashes too': (text) => jsonOf(text).replaceAll('/', '\\/'),
  'JSON-escaped, every character': (text) =>
    text
      .split('')
      .map((unit) => `\\u${hexOf(unit, 4).toUpperCase()}`)
      .join(''),
  'JSON-escaped, all but letters': (text) => text.replace(/[^A-Za-z]/g, (unit) => `\\u${hexOf(unit, 4)}`),
  'JSON within JSON': (text) => jsonOf(jsonOf(text)),
  'JSON within JSON within JSON': (text) => jsonOf(jsonOf(jsonOf(text).replaceAll('/', '\\/'))),
  base64: base64Of,
  'base64 of "Bearer KEY"': (text) => base64Of(`Bearer ${text}`),
  'base64 of "user:KEY"': (text) => base64Of(`user:${text}`),
  'base64 with text on both sides': (text) => base64Of(`{"key":"${text}","n":1}`),
  'base64 of JSON': (text) => base64Of(JSON.stringify({ key: text })),
  'base64 for URLs': (text) => Buffer.from(`x${text}`).toString('base64url'),
  'base64 without padding': (text) => base64Of(`xy${text}`).replace(/=+$/, ''),
  'base64, percent-encoded': (text) => encodeURIComponent(base64Of(`user:${text}`)),
  'base64, JSON-escaped': (text) => base64Of(`user:${text}`).replaceAll('/', '\\/').replaceAll('+', '\\u002B'),
  'percent-encoded': (text) => encodeURIComponent(text),
  'percent-encoded in lower case': lowerPercent,
  'percent-encoded, every byte': (text) => everyByte(text).join(''),
  'percent-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'as a form field': (text) => new URLSearchParams({ text }).toString().slice('text='.length),
  'HTML-escaped': (text) => text.replace(/[&<>"']/g, (unit) => `&#${unit.charCodeAt(0)};`),
  'HTML-escaped by name': (text) =>
    text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
};
