/** The characters of a text in a report; the summary of a judge may be longer. */
const CHARACTERS = 200;
const SUMMARY_CHARACTERS = 1500;

/** Plain data with its texts cut, names of columns included, so that none of them fills the page. */
export function withShortTexts<Data>(data: Data): Data {
  return shortened(data, CHARACTERS) as Data;
}

function shortened(value: unknown, characters: number): unknown {
  if (typeof value === 'string') return value.length > characters ? `${value.slice(0, characters)}…` : value;
  if (Array.isArray(value)) return value.map((item) => shortened(item, characters));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      shortened(part, name === 'summary' ? SUMMARY_CHARACTERS : characters),
    ]),
  );
}
