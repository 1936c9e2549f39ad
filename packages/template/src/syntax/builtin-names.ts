/** The global functions of templates; a column of the same name hides them. */
export const GLOBAL_NAMES = ['range', 'dict', 'lipsum', 'cycler', 'joiner', 'namespace'] as const;

/** Jinja2's filters, and `jsonpath`. */
export const FILTER_NAMES: ReadonlySet<string> = new Set(
  (
    'abs attr batch capitalize center count d default dictsort e escape filesizeformat first float forceescape format ' +
    'groupby indent int items join jsonpath last length list lower map max min pprint random reject rejectattr ' +
    'replace reverse round safe select selectattr slice sort string striptags sum title tojson trim truncate unique ' +
    'upper urlencode urlize wordcount wordwrap xmlattr'
  ).split(' '),
);

/** Jinja2's tests. */
export const TEST_NAMES: ReadonlySet<string> = new Set(
  (
    'boolean callable defined divisibleby eq equalto escaped even false filter float ge greaterthan gt in integer ' +
    'iterable le lessthan lower lt mapping ne none number odd sameas sequence string test true undefined upper'
  ).split(' '),
);
