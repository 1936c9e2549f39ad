/** Digraph letters with their title-case form. */
const TITLE_FORMS: Readonly<Record<string, string>> = {
  Ǆ: 'ǅ',
  ǅ: 'ǅ',
  ǆ: 'ǅ',
  Ǉ: 'ǈ',
  ǈ: 'ǈ',
  ǉ: 'ǈ',
  Ǌ: 'ǋ',
  ǋ: 'ǋ',
  ǌ: 'ǋ',
  Ǳ: 'ǲ',
  ǲ: 'ǲ',
  ǳ: 'ǲ',
};

/** The title-case form of a character: `ß` becomes `Ss`. */
function titleForm(character: string): string {
  const special = TITLE_FORMS[character];
  if (special !== undefined) return special;
  const [first = '', ...rest] = character.toUpperCase();
  return first + rest.join('').toLowerCase();
}

/** Python's `str.capitalize`. */
export function capitalize(text: string): string {
  if (text === '') return '';
  const code = text.codePointAt(0) ?? 0;
  if (code < 0x80) return text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();
  const first = String.fromCodePoint(code);
  return titleForm(first) + text.slice(first.length).toLowerCase();
}

/** Python's `str.title`: capitalizes every run of letters, so `it's` becomes `It'S`. */
export function titleCase(text: string): string {
  return text.replace(/\p{Cased}[\p{Cased}\p{M}]*/gu, (run) => capitalize(run));
}

/** Python's `str.swapcase`. */
export function swapCase(text: string): string {
  return text.replace(/\p{Uppercase}|\p{Lowercase}/gu, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}
