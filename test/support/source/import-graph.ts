import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/*
 * What each source file imports, read from its syntax and not from its text, so that comments and strings do not
 * count. Every form counts that ties one file to another: static, type-only, re-export, dynamic with a literal,
 * and `import('…')` as a type.
 */

/** What the rules need to know of one file. Paths are relative to the project, with forward slashes. */
export interface SourceFile {
  readonly file: string;
  /** Files of the project that it imports. */
  readonly imports: readonly string[];
  /** Packages and Node's own modules that it imports, as they are written. */
  readonly packages: readonly string[];
  /** Names of the classes, interfaces and types that it exports. */
  readonly types: readonly string[];
  /** Readings of clock or chance, such as `Date.now()`. */
  readonly impurities: readonly string[];
  /** Whether it does nothing but pass on what other files export. */
  readonly isBarrel: boolean;
}

/** Sources by path. */
export type Tree = ReadonlyMap<string, string>;

/** All TypeScript files below `folder` of the project. */
export function readTree(folder: string): Tree {
  const files = listFiles(folder).filter((file) => file.endsWith('.ts'));
  return new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
}

/** The files below a folder, sorted. @public it is used by `scripts/check-architecture.mjs`, compiled */
export function listFiles(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map(({ parentPath, name }) => path.join(parentPath, name).split(path.sep).join('/')).sort();
}

/** Reads every file of a tree. */
export function readGraph(tree: Tree): ReadonlyMap<string, SourceFile> {
  return new Map([...tree].map(([file, text]) => [file, readSource(file, text)]));
}

function readSource(file: string, text: string): SourceFile {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, false, ts.ScriptKind.TS);
  const specifiers: string[] = [];
  const impurities = new Set<string>();
  const visit = (node: ts.Node): void => {
    const specifier = importedBy(node);
    if (specifier !== null) specifiers.push(specifier);
    const impurity = impurityOf(node);
    if (impurity !== null) impurities.add(impurity);
    ts.forEachChild(node, visit);
  };
  visit(source);
  const isRelative = (name: string) => name.startsWith('.');
  return {
    file,
    imports: [...new Set(specifiers.filter(isRelative).map((name) => resolve(file, name)))],
    packages: [...new Set(specifiers.filter((name) => !isRelative(name)))],
    types: source.statements.flatMap(exportedType),
    impurities: [...impurities],
    isBarrel: source.statements.length > 0 && source.statements.every(isReExport),
  };
}

function importedBy(node: ts.Node): string | null {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return literal(node.moduleSpecifier);
  if (ts.isImportTypeNode(node)) return ts.isLiteralTypeNode(node.argument) ? literal(node.argument.literal) : null;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return literal(node.arguments[0]);
  }
  return null;
}

function literal(node: ts.Node | undefined): string | null {
  return node && ts.isStringLiteralLike(node) ? node.text : null;
}

function impurityOf(node: ts.Node): string | null {
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
    const name = `${node.expression.text}.${node.name.text}`;
    return ['Date.now', 'Math.random', 'performance.now'].includes(name) ? `${name}()` : null;
  }
  const isDate = ts.isNewExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'Date';
  return isDate && !node.arguments?.length ? 'new Date()' : null;
}

/** A class, an interface or a type; a constant of the same name belongs to its type. */
function exportedType(statement: ts.Statement): string[] {
  const isType =
    ts.isClassDeclaration(statement) || ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
  if (!isType || !statement.name) return [];
  return statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ? [statement.name.text] : [];
}

function isReExport(statement: ts.Statement): boolean {
  return ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined;
}

function resolve(from: string, specifier: string): string {
  return path.posix.join(path.posix.dirname(from), specifier).replace(/\.js$/, '.ts');
}

/** Circles in a graph, each once, as the list of files that one meets on the way round. */
export function findCircles(graph: ReadonlyMap<string, SourceFile>): string[][] {
  const done = new Set<string>();
  const chain: string[] = [];
  const circles: string[][] = [];
  const walk = (file: string): void => {
    const met = chain.indexOf(file);
    if (met >= 0) circles.push(chain.slice(met));
    if (met >= 0 || done.has(file)) return;
    chain.push(file);
    for (const next of graph.get(file)?.imports ?? []) walk(next);
    chain.pop();
    done.add(file);
  };
  for (const file of graph.keys()) walk(file);
  return circles;
}
