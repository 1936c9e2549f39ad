/** The locales of the Nemotron persona collections, with the size of their files in GB (as in NeMo Data Designer). */
export const PERSONA_SIZES_GB = {
  en_US: 1.24,
  en_GB: 2.03,
  en_IN: 2.39,
  en_SG: 0.3,
  de_DE: 2.55,
  fr_FR: 3.87,
  hi_Deva_IN: 4.14,
  hi_Latn_IN: 2.7,
  ja_JP: 1.69,
  ko_KR: 2.66,
  pt_BR: 2.33,
} as const satisfies Readonly<Record<string, number>>;

/** A locale with a persona collection. */
export type PersonaLocale = keyof typeof PERSONA_SIZES_GB;

/** The locales with a persona collection. */
export const PERSONA_LOCALES = Object.keys(PERSONA_SIZES_GB) as readonly PersonaLocale[];

/** The columns without which no person can be made. */
export const PERSONA_NEEDS = ['first_name', 'last_name', 'age'] as const;
