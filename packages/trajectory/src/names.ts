// Names alone: a thread that reads a config does not load the checks and the words of languages.

/** The names of all faults. */
export const FINDING_KINDS = [
  'unknown_tool',
  'bad_arguments',
  'missing_result',
  'stray_result',
  'failed_call',
  'repeated_call',
  'repeats',
  'no_answer',
  'empty_turn',
  'cut_off',
  'raw_markup',
  'speaks_for_user',
  'other_identity',
  'other_language',
] as const;

/** The name of a fault. */
export type FindingKind = (typeof FINDING_KINDS)[number];

/** The codes of all languages that can be asked for. */
export const LANGUAGE_CODES = [
  'ar',
  'bn',
  'cs',
  'da',
  'de',
  'el',
  'en',
  'es',
  'fa',
  'fi',
  'fr',
  'he',
  'hi',
  'hu',
  'id',
  'it',
  'ja',
  'ko',
  'nl',
  'no',
  'pl',
  'pt',
  'ro',
  'ru',
  'sv',
  'ta',
  'th',
  'tr',
  'uk',
  'ur',
  'vi',
  'zh',
] as const;

/** An ISO 639-1 code of a language that can be asked for. */
export type Language = (typeof LANGUAGE_CODES)[number];

/** How often a call with an equal result may occur unless another number is given: once more than needed. */
export const MAX_EQUAL_CALLS = 2;
