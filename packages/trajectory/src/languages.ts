import { type Language, LANGUAGE_CODES } from './names.ts';

/** Scripts by their ranges of UTF-16 code units, most frequent first. */
const SCRIPTS = {
  latin: [
    [0x41, 0x5a],
    [0x61, 0x7a],
    [0xc0, 0x24f],
    [0x1e00, 0x1eff],
  ],
  han: [
    [0x4e00, 0x9fff],
    [0x3400, 0x4dbf],
  ],
  cyrillic: [[0x400, 0x52f]],
  kana: [[0x3041, 0x30ff]],
  hangul: [
    [0xac00, 0xd7a3],
    [0x1100, 0x11ff],
  ],
  arabic: [
    [0x620, 0x6ff],
    [0x750, 0x77f],
  ],
  devanagari: [[0x900, 0x97f]],
  bengali: [[0x980, 0x9ff]],
  tamil: [[0xb80, 0xbff]],
  thai: [[0xe00, 0xe7f]],
  greek: [[0x370, 0x3ff]],
  hebrew: [[0x590, 0x5ff]],
} as const satisfies Readonly<Record<string, readonly (readonly [first: number, last: number])[]>>;

type Script = keyof typeof SCRIPTS;

/** How a language is told from others: by its scripts and its frequent words. */
interface LanguageSigns {
  readonly scripts: readonly [Script, ...Script[]];
  /** Frequent words; only languages with words are told from others of the same script. */
  readonly words?: string;
}

/** The languages that can be asked for. */
const LANGUAGES = {
  ar: { scripts: ['arabic'] },
  bn: { scripts: ['bengali'] },
  cs: {
    scripts: ['latin'],
    words: 'je se na že to v s z do jsou by jako nebo pro ale od při které který můžete podle také',
  },
  da: {
    scripts: ['latin'],
    words: 'og er det at en den til på de med for af ikke som et har kan hvis eller også jeg du vi',
  },
  de: {
    scripts: ['latin'],
    words: 'der die und das ist nicht mit ein eine zu den von sich auf für im dem sie ich auch wird oder sind wie es',
  },
  el: { scripts: ['greek'] },
  en: {
    scripts: ['latin'],
    words: 'the and of to is in that it you for are with this be your on can have not or if as i will',
  },
  es: {
    scripts: ['latin'],
    words: 'el la los las que en y es un una por con para del se no su como está pero más puede lo al',
  },
  fa: { scripts: ['arabic'] },
  fi: {
    scripts: ['latin'],
    words: 'ja on ei se että voit tai kun ovat myös mutta jos niin hän ole tämä joka sekä kuin olen',
  },
  fr: {
    scripts: ['latin'],
    words: 'le la les des et est une dans que pour vous pas qui sur avec ce il au du ne sont votre nous je',
  },
  he: { scripts: ['hebrew'] },
  hi: { scripts: ['devanagari'] },
  hu: {
    scripts: ['latin'],
    words: 'az és hogy nem egy meg vagy csak már akkor lehet kell mint azt ezt hogyan amely valamint',
  },
  id: {
    scripts: ['latin'],
    words: 'yang dan di untuk dengan ini itu dari anda tidak dalam adalah akan atau bisa pada ke juga saya dapat',
  },
  it: {
    scripts: ['latin'],
    words: 'il di che la è per un una sono con non del si le della come più anche ma nel puoi gli questo i',
  },
  ja: { scripts: ['kana', 'han'] },
  ko: { scripts: ['hangul'] },
  nl: {
    scripts: ['latin'],
    words: 'de het een en van is dat niet je op te zijn voor met die aan ook als kunt bij om er ik wordt',
  },
  no: {
    scripts: ['latin'],
    words: 'og er det å en til på som med for av ikke den et har kan hvis eller også jeg du vi fra',
  },
  pl: {
    scripts: ['latin'],
    words: 'i w na nie się jest to że z do jak są przez lub dla po od czy może także oraz który',
  },
  pt: {
    scripts: ['latin'],
    words: 'o de que e do da em um uma para com não os no se na por mais as como você está são ao',
  },
  ro: { scripts: ['latin'], words: 'și de în la este o cu pe că un nu sau din pentru care sunt mai să poate dar o ai' },
  ru: { scripts: ['cyrillic'] },
  sv: {
    scripts: ['latin'],
    words: 'och är det att en i som på för med av inte den till ett har kan om eller också jag du vi från',
  },
  ta: { scripts: ['tamil'] },
  th: { scripts: ['thai'] },
  tr: {
    scripts: ['latin'],
    words: 've bir bu için ile da de olarak çok daha gibi ne en var olan veya ise değil kadar sonra',
  },
  uk: { scripts: ['cyrillic'] },
  ur: { scripts: ['arabic'] },
  vi: {
    scripts: ['latin'],
    words: 'là và của có không được cho các trong một với bạn người này những để khi đã cũng thể',
  },
  zh: { scripts: ['han'] },
} as const satisfies Readonly<Record<Language, LanguageSigns>>;

/** Letters that the other language with Cyrillic letters does not have. */
const LETTERS: Partial<Record<Language, RegExp>> = { ru: /[ыэъё]/gi, uk: /[іїєґ]/gi };

/** Fewer letters are a name or an interjection. */
const FEWEST_LETTERS = 16;
/** The share of letters that must be of the script: names and terms may be of another. */
const SMALLEST_SHARE = 0.4;
/** Why a text is not of a language, or undefined. Short texts, and texts without frequent words, are taken as of any. */
export function languageMistake(text: string, language: Language): string | undefined {
  const { scripts }: LanguageSigns = LANGUAGES[language];
  const counts = countScripts(text);
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (all < FEWEST_LETTERS) return undefined;
  const own = scripts.reduce((sum, script) => sum + (counts.get(script) ?? 0), 0);
  if (own / all < SMALLEST_SHARE) return `its letters are ${mostFrequent(counts)}`;
  const other = otherByKana(counts, language) ?? otherByLetters(text, language) ?? otherByWords(text, language);
  return other === undefined ? undefined : `its words are of the language '${other}'`;
}

/** Japanese has kana among its Han characters, and Chinese has none. */
function otherByKana(counts: ReadonlyMap<Script, number>, language: Language): Language | undefined {
  const [han, kana] = [counts.get('han') ?? 0, counts.get('kana') ?? 0];
  if (language === 'ja' && kana < han * 0.05) return 'zh';
  return language === 'zh' && kana > han * 0.2 ? 'ja' : undefined;
}

/** Letters of another language that its own must outnumber by half. */
const FEWEST_LETTERS_OF_OTHER = 3;

function otherByLetters(text: string, language: Language): Language | undefined {
  const own = LETTERS[language];
  const [other, others] = Object.entries(LETTERS).find(([code]) => code !== language) ?? [];
  if (!own || !others) return undefined;
  const [count, ownCount] = [text.match(others)?.length ?? 0, text.match(own)?.length ?? 0];
  return count >= FEWEST_LETTERS_OF_OTHER && count > 2 * ownCount ? (other as Language) : undefined;
}

/** The languages of each frequent word. */
const LANGUAGES_OF = new Map<string, Language[]>();
for (const code of LANGUAGE_CODES) {
  const { words = '' }: LanguageSigns = LANGUAGES[code];
  for (const word of words.split(' ').filter(Boolean))
    LANGUAGES_OF.set(word, [...(LANGUAGES_OF.get(word) ?? []), code]);
}

/** Different frequent words of another language that make it that of a text, if they are more than twice those of the asked one. */
const FEWEST_WORDS = 4;

function otherByWords(text: string, language: Language): Language | undefined {
  const counts = new Map<Language, number>();
  for (const word of new Set(text.toLowerCase().match(/\p{L}+/gu))) {
    for (const code of LANGUAGES_OF.get(word) ?? []) counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  const own = counts.get(language) ?? 0;
  let [other, most]: [Language | undefined, number] = [undefined, 0];
  for (const [code, count] of counts) if (count > most) [other, most] = [code, count];
  return most >= FEWEST_WORDS && most > 2 * own ? other : undefined;
}

const SCRIPT_NAMES = Object.keys(SCRIPTS) as readonly Script[];
/** The number of the script of each UTF-16 code unit, from 1; 0 for what is no letter. */
const SCRIPT_OF = new Uint8Array(0x1_00_00);
SCRIPT_NAMES.forEach((script, index) => {
  for (const [first, last] of SCRIPTS[script]) SCRIPT_OF.fill(index + 1, first, last + 1);
});

function countScripts(text: string): Map<Script, number> {
  const counts = new Uint32Array(SCRIPT_NAMES.length + 1);
  for (let at = 0; at < text.length; at++) {
    const script = SCRIPT_OF[text.charCodeAt(at)] ?? 0;
    counts[script] = (counts[script] ?? 0) + 1;
  }
  return new Map(SCRIPT_NAMES.map((script, index) => [script, counts[index + 1] ?? 0]));
}

function mostFrequent(counts: ReadonlyMap<Script, number>): string {
  const [[script] = ['none']] = [...counts].toSorted(([, a], [, b]) => b - a);
  return script;
}
