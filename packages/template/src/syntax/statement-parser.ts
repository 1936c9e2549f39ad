import { ExpressionParser } from './expression-parser.ts';
import type { Data, Expression, FilterUse, If, Keyword, Name, Signature, Statement, Target } from './tree.ts';

const UNASSIGNABLE = ['true', 'True', 'false', 'False', 'none', 'None'];

/** Reads whole templates into Jinja2's tree. */
export class StatementParser extends ExpressionParser {
  readonly #blocks = new Set<string>();
  readonly #tags: Readonly<Record<string, () => Statement>> = {
    if: () => this.parseIf(),
    for: () => this.parseFor(),
    set: () => this.parseSet(),
    with: () => this.#parseWith(),
    filter: () => this.parseFilterStatement(),
    autoescape: () => this.#parseAutoescape(),
    print: () => this.#parsePrint(),
    macro: () => this.parseMacro(),
    call: () => this.parseCall(),
    block: () => this.parseBlock(),
    extends: () => this.parseExtends(),
    include: () => this.parseInclude(),
    import: () => this.parseImport(),
    from: () => this.parseFrom(),
  };

  /** The statements of a whole template. */
  parseTemplate(): readonly Statement[] {
    return this.parseAsRoot().children as Statement[];
  }

  /** Text and values between two statements come as one output, as Jinja2 counts them. */
  override parseNodes(): Statement[] {
    const statements: Statement[] = [];
    for (let parts: (Data | Expression)[] = []; ;) {
      if (this.at('data')) {
        parts.push({ kind: 'data', text: this.nextToken().value });
      } else if (this.skip('variable-start')) {
        parts.push(this.parseTuple());
        this.take('variable-end', "'}}'");
      } else {
        if (parts.length > 0) statements.push({ kind: 'output', parts });
        parts = [];
        if (!this.skip('block-start')) break;
        const statement = this.nested(() => this.parseStatement());
        if (statement === null) return statements;
        statements.push(statement);
      }
    }
    if (this.breakOnBlocks !== null) this.fail(`the template ends before {% ${this.breakOnBlocks.join(' or ')} %}`);
    return statements;
  }

  /** Gives null before a tag that ends the block being read. */
  override parseStatement(): Statement | null {
    const { value } = this.peekToken();
    if (!this.at('symbol')) this.unexpected('the name of a tag');
    if (this.breakOnBlocks?.includes(value) === true) return null;
    const read = Object.hasOwn(this.#tags, value) ? this.#tags[value] : undefined;
    if (read === undefined) return this.fail(`unknown tag '${value}'`);
    this.nextToken();
    const statement = read();
    this.#endTag();
    return statement;
  }

  #endTag(): void {
    this.take('block-end', "'%}'");
  }

  /** Reads up to one of these tags, whose name is left to read. */
  #bodyUntil(...names: string[]): Statement[] {
    this.skip('colon');
    this.#endTag();
    return this.parseUntilBlocks(...names).children as Statement[];
  }

  #bodyOf(end: string): Statement[] {
    const body = this.#bodyUntil(end);
    this.nextToken();
    return body;
  }

  override parseIf(): If {
    const branches: { test: Expression; body: readonly Statement[] }[] = [];
    do {
      const test = this.parseTuple({ inlineIf: false });
      branches.push({ test, body: this.#bodyUntil('elif', 'else', 'endif') });
    } while (this.skipSymbol('elif'));
    const otherwise = this.nextToken().value === 'else' ? this.#bodyOf('endif') : [];
    const [first, ...more] = branches.map((branch): If => ({ kind: 'if', ...branch, elifs: [], otherwise: [] }));
    return { ...(first as If), elifs: more, otherwise };
  }

  override parseFor(): Statement {
    const target = this.#parseTarget({ endsBefore: 'in' });
    this.takeName('in');
    const iterable = this.parseTuple({ inlineIf: false, endsBefore: 'recursive' });
    const test = this.skipSymbol('if') ? this.parseExpression() : undefined;
    const recursive = this.skipSymbol('recursive');
    const body = this.#bodyUntil('endfor', 'else');
    const otherwise = this.nextToken().value === 'else' ? this.#bodyOf('endfor') : [];
    return { kind: 'for', target, iterable, test, recursive, body, otherwise };
  }

  override parseSet(): Statement {
    const target = this.#parseTarget({ namespaces: true });
    if (this.skipValue('operator', '=')) return { kind: 'set', target, value: this.parseTuple() };
    const filter = this.skip('pipe') ? this.#filterChain() : undefined;
    return { kind: 'set-block', target, filter, body: this.#bodyOf('endset') };
  }

  #filterChain(): FilterUse {
    return this.chain(this.parseFilterUse(undefined), (input) =>
      this.skip('pipe') ? this.parseFilterUse(input) : undefined,
    );
  }

  #parseWith(): Statement {
    const targets: Target[] = [];
    const values: Expression[] = [];
    while (!this.at('block-end')) {
      if (targets.length > 0) this.take('comma', "','");
      targets.push(this.#parseTarget());
      if (!this.skipValue('operator', '=')) this.unexpected("'='");
      values.push(this.parseExpression());
    }
    return { kind: 'with', targets, values, body: this.#bodyOf('endwith') };
  }

  override parseFilterStatement(): Statement {
    return { kind: 'filter-block', filter: this.#filterChain(), body: this.#bodyOf('endfilter') };
  }

  #parseAutoescape(): Statement {
    const on: Keyword = { kind: 'keyword', name: 'autoescape', value: this.parseExpression() };
    return { kind: 'scope', body: [{ kind: 'autoescape', on, body: this.#bodyOf('endautoescape') }] };
  }

  #parsePrint(): Statement {
    const parts: Expression[] = [];
    while (!this.at('block-end')) {
      if (parts.length > 0) this.take('comma', "','");
      parts.push(this.parseExpression());
    }
    return { kind: 'output', parts };
  }

  override parseMacro(): Statement {
    const { name } = this.#nameTarget();
    return { kind: 'macro', name, signature: this.#parseSignature(), body: this.#bodyOf('endmacro') };
  }

  override parseCall(): Statement {
    const signature = this.at('left-paren') ? this.#parseSignature() : { parameters: [], defaults: [] };
    const call = this.parseExpression();
    if (call.kind !== 'call') return this.fail('a call block needs a call');
    return { kind: 'call-block', call, signature, body: this.#bodyOf('endcall') };
  }

  #parseSignature(): Signature {
    const parameters: Name[] = [];
    const defaults: Expression[] = [];
    this.take('left-paren', "'('");
    while (!this.at('right-paren')) {
      if (parameters.length > 0) this.take('comma', "','");
      const parameter = this.#nameTarget();
      parameters.push(parameter);
      if (this.skipValue('operator', '=')) defaults.push(this.parseExpression());
      else if (parameter.name === 'caller') this.fail("the parameter 'caller' needs a default");
      else if (defaults.length > 0) this.fail('a parameter without a default follows one with a default');
    }
    this.nextToken();
    return { parameters, defaults };
  }

  override parseBlock(): Statement {
    const name = this.take('symbol', 'the name of a block');
    if (this.#blocks.has(name)) this.fail(`the block '${name}' is there twice`);
    this.#blocks.add(name);
    const scoped = this.skipSymbol('scoped');
    const required = this.skipSymbol('required');
    const body = this.#bodyOf('endblock');
    this.skipSymbol(name);
    return { kind: 'block', name, scoped, required, body };
  }

  override parseExtends(): Statement {
    return { kind: 'extends', template: this.parseExpression() };
  }

  override parseInclude(): Statement {
    const template = this.parseExpression();
    if (this.atName('ignore') && this.thenComes('symbol', 'missing')) {
      this.nextToken();
      this.nextToken();
    }
    this.#skipContext();
    return { kind: 'include', template };
  }

  override parseImport(): Statement {
    const template = this.parseExpression();
    this.takeName('as');
    const { name } = this.#nameTarget();
    this.#skipContext();
    return { kind: 'import', template, names: [name], from: false };
  }

  override parseFrom(): Statement {
    const template = this.parseExpression();
    this.takeName('import');
    const names: string[] = [];
    while (!this.at('block-end') && !this.#skipContext()) {
      if (names.length > 0) this.take('comma', "','");
      if (this.at('block-end') || this.#skipContext()) break;
      const { name } = this.#nameTarget();
      if (name.startsWith('_')) this.fail('names that begin with an underscore cannot be imported');
      names.push(this.skipSymbol('as') ? this.#nameTarget().name : name);
    }
    if (names.length === 0) this.unexpected('a name to import');
    return { kind: 'import', template, names, from: true };
  }

  #skipContext(): boolean {
    if (!this.atName('with', 'without') || !this.thenComes('symbol', 'context')) return false;
    this.nextToken();
    this.nextToken();
    return true;
  }

  #nameTarget(): Name {
    if (this.atName(...UNASSIGNABLE)) this.fail(`cannot assign to '${this.peekToken().value}'`);
    return { kind: 'name', name: this.take('symbol', 'a name') };
  }

  #parseTarget(options: { endsBefore?: string; namespaces?: boolean } = {}): Target {
    const { endsBefore, namespaces = false } = options;
    if (namespaces && this.thenComes('operator', '.')) return this.#namespaceTarget();
    const items: Target[] = [];
    let several = false;
    do {
      if (this.at('right-paren') || this.at('block-end') || (endsBefore !== undefined && this.atName(endsBefore)))
        break;
      items.push(this.#singleTarget());
    } while (this.skip('comma') && (several = true));
    if (items.length === 0 && !several) this.unexpected('a name');
    return several ? { kind: 'targets', items } : (items[0] as Target);
  }

  #singleTarget(): Target {
    if (!this.skip('left-paren')) return this.#nameTarget();
    const inner = this.nested(() => this.#parseTarget());
    this.take('right-paren', "')'");
    return inner;
  }

  #namespaceTarget(): Target {
    const namespace = this.#nameTarget().name;
    this.nextToken();
    return { kind: 'namespace-attribute', namespace, attribute: this.take('symbol', 'a name') };
  }
}
