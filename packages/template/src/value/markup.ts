import { quote } from './quote.ts';
import { TemplateObject } from './value.ts';

/** The ampersand comes first, because the others bring one. */
const MARKS: readonly (readonly [mark: string, entity: string])[] = [
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&#34;'],
  ["'", '&#39;'],
];

/** Text that is HTML already: what is joined to it is escaped. */
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

/** Replaces the five characters that mean something in HTML. */
export function escapeHtml(text: string): string {
  return /[&<>"']/.test(text) ? MARKS.reduce((html, [mark, entity]) => html.replaceAll(mark, entity), text) : text;
}
