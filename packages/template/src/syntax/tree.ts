import type { Float } from '@data-designer/core';

/** A position in a template; line and column count from 1. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

/** The value of a literal. */
export type Constant = null | boolean | number | bigint | string | Float;

/** An operator between two values, by its sign. */
export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**';

/** A comparison, by its sign. */
export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in';

/** `name=value` in a call. */
export interface Keyword {
  readonly kind: 'keyword';
  readonly name: string;
  readonly value: Expression;
}

/** One further comparison of a chain such as `1 < a < 3`. */
export interface Operand {
  readonly kind: 'operand';
  readonly operator: Comparison;
  readonly operand: Expression;
}

/** A key and its value in a map literal. */
export interface Pair {
  readonly kind: 'pair';
  readonly key: Expression;
  readonly value: Expression;
}

/** The arguments of a call, a filter or a test. */
export interface Arguments {
  readonly positional: readonly Expression[];
  readonly keywords: readonly Keyword[];
  readonly spread?: Expression;
  readonly keywordSpread?: Expression;
}

/** A filter with its input; `input` is undefined if a block supplies it. */
export interface FilterUse {
  readonly kind: 'filter';
  readonly input: Expression | undefined;
  readonly name: string;
  readonly given: Arguments;
  /** Where its name stands. */
  readonly at?: SourcePosition;
}

/** A slice; an omitted bound is undefined. */
interface Slice {
  readonly kind: 'slice';
  readonly start: Expression | undefined;
  readonly stop: Expression | undefined;
  readonly step: Expression | undefined;
}

/** A call. */
export interface Call {
  readonly kind: 'call';
  readonly callee: Expression;
  readonly given: Arguments;
}

/** A variable by its name. */
export interface Name {
  readonly kind: 'name';
  readonly name: string;
  /** Where it stands, if it is read. */
  readonly at?: SourcePosition;
}

/** A node with a value, in the shape of Jinja2's tree. */
export type Expression =
  | Name
  | Slice
  | FilterUse
  | { readonly kind: 'const'; readonly value: Constant }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'tuple'; readonly items: readonly Expression[] }
  | { readonly kind: 'dict'; readonly pairs: readonly Pair[] }
  | { readonly kind: 'attribute'; readonly of: Expression; readonly name: string }
  | { readonly kind: 'item'; readonly of: Expression; readonly key: Expression }
  | Call
  | { readonly kind: 'test'; readonly input: Expression; readonly name: string; readonly given: Arguments }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: 'unary'; readonly operator: '-' | '+'; readonly operand: Expression }
  | { readonly kind: 'not'; readonly operand: Expression }
  | { readonly kind: 'and'; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'or'; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'compare'; readonly first: Expression; readonly rest: readonly Operand[] }
  | { readonly kind: 'concat'; readonly parts: readonly Expression[] }
  | {
      readonly kind: 'conditional';
      readonly test: Expression;
      readonly yes: Expression;
      readonly no: Expression | undefined;
    };

/** The target of an assignment: a name, several names, or an attribute of a namespace. */
export type Target =
  | Name
  | { readonly kind: 'targets'; readonly items: readonly Target[] }
  | { readonly kind: 'namespace-attribute'; readonly namespace: string; readonly attribute: string };

/** Text outside tags. */
export interface Data {
  readonly kind: 'data';
  readonly text: string;
}

/** A conditional statement; each `elif` is an `If` without `elifs`. */
export interface If {
  readonly kind: 'if';
  readonly test: Expression;
  readonly body: readonly Statement[];
  readonly elifs: readonly If[];
  readonly otherwise: readonly Statement[];
}

/** A loop. */
export interface For {
  readonly kind: 'for';
  readonly target: Target;
  readonly iterable: Expression;
  readonly test: Expression | undefined;
  readonly recursive: boolean;
  readonly body: readonly Statement[];
  readonly otherwise: readonly Statement[];
}

/** The parameters of a macro or of a call block's caller; `defaults` belong to the last ones. */
export interface Signature {
  readonly parameters: readonly Name[];
  readonly defaults: readonly Expression[];
}

/** A statement of a template. */
export type Statement =
  | If
  | For
  | { readonly kind: 'output'; readonly parts: readonly (Data | Expression)[] }
  | {
      readonly kind: 'with';
      readonly targets: readonly Target[];
      readonly values: readonly Expression[];
      readonly body: readonly Statement[];
    }
  | { readonly kind: 'set'; readonly target: Target; readonly value: Expression }
  | {
      readonly kind: 'set-block';
      readonly target: Target;
      readonly filter: FilterUse | undefined;
      readonly body: readonly Statement[];
    }
  | { readonly kind: 'filter-block'; readonly filter: FilterUse; readonly body: readonly Statement[] }
  | { readonly kind: 'scope'; readonly body: readonly Statement[] }
  | { readonly kind: 'autoescape'; readonly on: Keyword; readonly body: readonly Statement[] }
  | {
      readonly kind: 'macro';
      readonly name: string;
      readonly signature: Signature;
      readonly body: readonly Statement[];
    }
  | {
      readonly kind: 'call-block';
      readonly call: Call;
      readonly signature: Signature;
      readonly body: readonly Statement[];
    }
  | {
      readonly kind: 'block';
      readonly name: string;
      readonly scoped: boolean;
      readonly required: boolean;
      readonly body: readonly Statement[];
    }
  | { readonly kind: 'extends'; readonly template: Expression }
  | { readonly kind: 'include'; readonly template: Expression }
  | {
      readonly kind: 'import';
      readonly template: Expression;
      readonly names: readonly string[];
      readonly from: boolean;
    };

/** Any node that Jinja2 counts. */
export type Node = Expression | Statement | Target | Data | Keyword | Operand | Pair;

/** The nodes of a union by kind, for tables with one function per kind. */
export type ByKind<Union extends Node> = { readonly [Kind in Union['kind']]: Extract<Union, { kind: Kind }> };
