import { quote } from '../quote.ts';
import { TemplateObject, type Value } from './value.ts';

/** The ampersand comes first, because every entity begins with one. */
const MARKS: readonly (readonly [mark: string, entity: string])[] = [
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&#34;'],
  ["'", '&#39;'],
];

/** Text that is HTML already: text joined to it is escaped. */
export class Markup extends TemplateObject {
  readonly typeName = 'Markup';
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }

  print(): string {
    return `Markup(${quote(this.text)})`;
  }

  override truthy(): boolean {
    return this.text !== '';
  }

  override hash(): unknown {
    return this.text;
  }
}

/** Escapes the five special characters of HTML. */
export function escapeHtml(text: string): string {
  return /[&<>"']/.test(text) ? MARKS.reduce((html, [mark, entity]) => html.replaceAll(mark, entity), text) : text;
}

/** Marks text that was made from HTML as HTML. */
export function markedLike(original: Value, text: string): string | Markup {
  return original instanceof Markup ? new Markup(text) : text;
}
