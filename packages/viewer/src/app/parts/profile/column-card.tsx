import type {
  CalculatedValue,
  ColumnProfile,
  FieldProfile,
  NumberProfile,
  TokenProfile,
  ValueProfile,
} from '@data-designer/profile';
import type { ReactNode } from 'react';
import type { Condition } from '../../../api/filter.ts';
import { formatCount, formatFigure, formatShare, pluralize } from '../../format.ts';
import { visibleText } from '../../visible-text.ts';
import { BarList } from '../stats-bars.tsx';
import { Histogram, NumberHistogram } from './histogram.tsx';

/** The most categories with their own bar. */
const BARS = 12;

interface CardProps {
  readonly column: ColumnProfile;
  /** Leads to the rows of a bar; absent where there is no table. */
  readonly onPick?: ((condition: Condition) => void) | undefined;
}

/** The statistics of a column and of its fields. */
export function ColumnCard({ column, onPick }: CardProps): ReactNode {
  const { name, columnType, inputTokens, outputTokens, valid, records, fields = [], examples } = column;
  const shownExamples = [...new Set(examples.flatMap((example) => example || []))];
  return (
    <article className="card column-card" data-column={name}>
      <div className="row spread">
        <h3>{visibleText(name)}</h3>
        <span className="quiet small">
          {columnType} · {column.dataType}
        </span>
      </div>
      <Missing value={column} of={{ column: name }} onPick={onPick} />
      {/* The fields say the same in a readable form. */}
      {!(column.constant !== undefined && fields.some(hasPlots)) && (
        <ValuePlots value={column} of={{ column: name }} onPick={onPick} />
      )}
      <Tokens caption="prompt tokens" tokens={inputTokens} />
      <Tokens caption="answer tokens" tokens={outputTokens} />
      {typeof valid === 'number' && (
        <BarList
          bars={[
            { label: 'valid', count: valid },
            { label: 'invalid', count: records - valid },
          ]}
          others={0}
        />
      )}
      <FieldPlots column={name} fields={fields.filter(hasPlots)} onPick={onPick} />
      {column.categories === undefined && column.numbers === undefined && shownExamples.length > 0 && (
        <details>
          <summary className="quiet small">Examples</summary>
          {shownExamples.map((example) => (
            <p key={example} className="text small">
              {visibleText(example)}
            </p>
          ))}
        </details>
      )}
    </article>
  );
}

/** More fields than these fold, so that one card is not much longer than its neighbours. */
const OPEN_FIELDS = 4;

interface FieldsProps {
  readonly column: string;
  readonly fields: readonly FieldProfile[];
  readonly onPick: CardProps['onPick'];
}

function FieldPlots({ column, fields, onPick }: FieldsProps): ReactNode {
  const sections = fields.map((field) => (
    <section key={field.path.join('.')} data-column={[column, ...field.path].join('.')}>
      <h4>{visibleText(field.path.join('.'))}</h4>
      <ValuePlots value={field} of={{ column, path: field.path }} onPick={onPick} />
    </section>
  ));
  if (fields.length <= OPEN_FIELDS) return sections;
  return (
    <details>
      <summary className="quiet small">{pluralize(fields.length, 'field')}</summary>
      {sections}
    </details>
  );
}

/** Whether a value has more to show than a count. */
export function hasPlots({ constant, numbers, dates, categories, lengths }: ValueProfile): boolean {
  return [constant, numbers, dates, categories, lengths].some((part) => part !== undefined);
}

interface ValueProps {
  readonly value: ValueProfile;
  readonly of: { readonly column: string; readonly path?: readonly string[] };
  readonly onPick?: ((condition: Condition) => void) | undefined;
}

function Missing({ value: { nulls, unique, records }, of, onPick }: ValueProps): ReactNode {
  const share = typeof nulls === 'number' ? formatShare(nulls / Math.max(records, 1)) : nulls;
  return (
    <p className="quiet small">
      {typeof unique === 'number' ? `${formatCount(unique)} different ${unique === 1 ? 'value' : 'values'}` : ''}
      {nulls !== 0 && (
        <>
          {' '}
          {onPick === undefined ? (
            <span className="warn">{share} null</span>
          ) : (
            <button type="button" className="plain" onClick={() => onPick({ ...of, op: 'null' })}>
              {share} null
            </button>
          )}
        </>
      )}
    </p>
  );
}

function ValuePlots({ value, of, onPick }: ValueProps): ReactNode {
  const { constant, numbers, dates, categories, lengths } = value;
  if (constant !== undefined) {
    const text = value.dataType === 'float' && constant !== '' ? formatFigure(Number(constant)) : constant;
    return <p className="text">always {visibleText(text)}</p>;
  }
  return (
    <>
      <Numbers what="values" numbers={numbers} of={{ ...of, op: 'between' }} onPick={onPick} />
      {typeof dates === 'object' && (
        <Histogram
          caption={`dates by ${dates.histogram.unit}`}
          counts={dates.histogram.counts}
          low={dates.min}
          high={dates.max}
          conditionOf={(bar) => datesOf(of, dates.histogram.starts, bar)}
          onPick={onPick}
        />
      )}
      {typeof categories === 'object' && (
        <BarList
          bars={categories.top.slice(0, BARS).map(({ value: label, records: count }) => {
            const found = valueOf(value.dataType, label);
            return found === undefined
              ? { label, count }
              : { label, count, condition: { ...of, op: 'equals', value: found } as const };
          })}
          others={categories.top.slice(BARS).reduce((sum, { records }) => sum + records, categories.otherRecords)}
          onPick={onPick}
        />
      )}
      {categories === undefined && (
        <Numbers what="characters" numbers={lengths} of={{ ...of, op: 'length' }} onPick={onPick} />
      )}
    </>
  );
}

/** The times of a bar: from its start to that of the next one. */
function datesOf(of: ValueProps['of'], starts: readonly string[], bar: number): Condition {
  return { ...of, op: 'dates', low: starts[bar] ?? '', high: starts[bar + 1] ?? null };
}

/** The profile cuts long text; a cut label is not the value. */
const MAX_LABEL = 200;

/** The value of a label; undefined where the label does not say it. */
function valueOf(dataType: string, label: string): string | boolean | undefined {
  if (dataType === 'bool') return label === 'true';
  return dataType === 'string' && label.length < MAX_LABEL ? label : undefined;
}

interface NumbersProps {
  readonly what: string;
  readonly numbers: CalculatedValue<NumberProfile> | undefined;
  readonly of: { readonly column: string; readonly path?: readonly string[]; readonly op: 'between' | 'length' };
  readonly onPick?: ((condition: Condition) => void) | undefined;
}

function Numbers({ what, numbers, of, onPick }: NumbersProps): ReactNode {
  if (typeof numbers !== 'object') return null;
  const { mean, median, stddev, histogram, isMedianEstimated } = numbers;
  const spread = stddev === null ? '' : `, standard deviation ${formatFigure(stddev)}`;
  const middle = `median ${isMedianEstimated ? 'about ' : ''}${formatFigure(median)}`;
  const caption = `${what}: mean ${formatFigure(mean)}, ${middle}${spread}`;
  return <NumberHistogram caption={caption} histogram={histogram} of={of} onPick={onPick} />;
}

function Tokens({
  caption,
  tokens,
}: {
  readonly caption: string;
  readonly tokens: CalculatedValue<TokenProfile> | undefined;
}): ReactNode {
  if (typeof tokens !== 'object') return null;
  const facts = `${caption}: mean ${formatFigure(tokens.mean)}, median ${formatFigure(tokens.median)}, of ${pluralize(tokens.records, 'record')}`;
  return <NumberHistogram caption={facts} histogram={tokens.histogram} />;
}
