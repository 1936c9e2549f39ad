/** Letters that have no plain letter within them. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ŋ: 'ng',
};

const UNSPELLED = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'g');

/** A name in the letters a to z and digits, as it may stand in an address; empty where its script has none of them. */
export function asciiFolded(name: string): string {
  return name
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(UNSPELLED, (letter) => PLAIN[letter] as string)
    .replaceAll(/[^a-z0-9]/g, '');
}
