/**
 * The script of a records page: shows one record at a time, steps by key, and searches the values of all records. It
 * writes to the page only with `textContent`, and marks matches as highlight ranges, so that no value becomes HTML.
 */
export const RECORDS_SCRIPT = `
const one = (selector) => document.querySelector(selector);
const records = [...document.querySelectorAll('article')];
const field = one('#search');
const VALUES = '.text, pre, dd > .mono, td > .mono, figcaption';
const MAX_HIGHLIGHTS = 1000;
let at = 0;
let query = '';
let matching = [...records.keys()];
const texts = [];
const opened = new Set();

// Lower case of the same length, so that positions in it are those of the text.
const fold = (text) => {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return [...text].map((sign) => (sign.toLowerCase().length === sign.length ? sign.toLowerCase() : sign)).join('');
};
const valuesOf = (record) => [...record.querySelectorAll(VALUES)];
const textOf = (index) => (texts[index] ??= fold(valuesOf(records[index]).map((value) => value.textContent).join('\\n')));

// The ranges of the query in a value; a match may span the text nodes of coloured code.
const rangesIn = (value) => {
  const text = fold(value.textContent);
  const ranges = [];
  const nodes = document.createTreeWalker(value, NodeFilter.SHOW_TEXT);
  let node = nodes.nextNode();
  let before = 0;
  const reach = (offset) => {
    while (before + node.length < offset) {
      before += node.length;
      node = nodes.nextNode();
    }
    return offset - before;
  };
  for (let from = text.indexOf(query); from >= 0 && ranges.length < MAX_HIGHLIGHTS; ) {
    const range = new Range();
    const end = from + query.length;
    reach(from + 1);
    range.setStart(node, from - before);
    const last = reach(end);
    range.setEnd(node, last);
    ranges.push(range);
    from = text.indexOf(query, end);
  }
  return ranges;
};

// Marks the matches of the shown record, opens the folded parts that contain one, and scrolls to the first.
const highlight = () => {
  for (const part of opened) part.open = false;
  opened.clear();
  const marks = globalThis.CSS?.highlights;
  marks?.delete('found');
  if (query === '' || matching.length === 0) return scrollTo(0, 0);
  const ranges = valuesOf(records[at]).flatMap(rangesIn).slice(0, MAX_HIGHLIGHTS);
  for (const range of ranges) {
    for (let part = range.startContainer.parentElement; part !== records[at]; part = part.parentElement) {
      if (part.matches('details:not([open])')) opened.add(part).forEach((one) => { one.open = true; });
    }
  }
  if (marks) marks.set('found', new Highlight(...ranges));
  if (ranges.length > 0) scrollTo(0, scrollY + ranges[0].getBoundingClientRect().top - innerHeight / 3);
};

const show = (to) => {
  at = to;
  records.forEach((record, index) => { record.hidden = index !== at || matching.length === 0; });
  const place = matching.indexOf(at) + 1;
  const number = records[at].dataset.number;
  one('#at').textContent = place === 0 ? 'No record' : 'Record ' + number + ', ' + place + ' of ' + matching.length;
  highlight();
};
const step = (by) => {
  if (matching.length === 0) return;
  show(matching[(matching.indexOf(at) + by + matching.length) % matching.length]);
};
const search = () => {
  query = fold(field.value.trim());
  matching = [...records.keys()].filter((index) => query === '' || textOf(index).includes(query));
  const total = records.length + (records.length === 1 ? ' record' : ' records');
  one('#found').textContent = query === '' ? '' : matching.length + ' of ' + total + ' with a match';
  show(matching.find((index) => index >= at) ?? matching[0] ?? at);
};
const clear = () => {
  field.value = '';
  search();
};
const showLinked = () => {
  const index = records.findIndex(({ id }) => '#' + id === location.hash);
  if (index < 0) return;
  clear();
  show(index);
};

one('#next').onclick = () => step(1);
one('#previous').onclick = () => step(-1);
field.oninput = search;
addEventListener('hashchange', showLinked);
addEventListener('keydown', (event) => {
  const { key, shiftKey, ctrlKey, altKey, metaKey } = event;
  if (ctrlKey || altKey || metaKey || event.isComposing) return;
  const isTyping = document.activeElement === field;
  if (isTyping && key === 'Enter') step(shiftKey ? -1 : 1);
  if (key === 'Escape') {
    clear();
    field.blur();
  }
  if (isTyping) return;
  if (key === 'n' || key === 'ArrowRight') step(1);
  if (key === 'p' || key === 'ArrowLeft') step(-1);
  if (key === '/') {
    event.preventDefault();
    field.focus();
  }
});
if (records.length > 0) {
  one('#tools').hidden = false;
  one('nav').hidden = records.length === 1;
  show(0);
  showLinked();
}
`;
