/** Names that every template knows without a column of that name. */
export const GLOBAL_NAMES = ['range', 'dict', 'lipsum', 'cycler', 'joiner', 'namespace'] as const;

/** The filters that Jinja2 brings, and `jsonpath`. */
export const FILTER_NAMES: ReadonlySet<string> = new Set(
  (
    'abs attr batch capitalize center count d default dictsort e escape filesizeformat first float forceescape format ' +
    'groupby indent int items join jsonpath last length list lower map max min pprint random reject rejectattr ' +
    'replace reverse round safe select selectattr slice sort string striptags sum title tojson trim truncate unique ' +
    'upper urlencode urlize wordcount wordwrap xmlattr'
  ).split(' '),
);

/** The tests that Jinja2 brings. */
export const TEST_NAMES: ReadonlySet<string> = new Set(
  (
    'boolean callable defined divisibleby eq equalto escaped even false filter float ge greaterthan gt in integer ' +
    'iterable le lessthan lower lt mapping ne none number odd sameas sequence string test true undefined upper'
  ).split(' '),
);
