import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { listFiles } from './import-graph.js';

/* The texts of the console that stand in its sources and are shown: those between tags, and those of properties with such names. */

/** Properties and attributes whose value is shown. */
const SHOWN =
  /^(title|label|hint|placeholder|aria-label|send|done|detail|what|text|empty|wrong|children|busyText|says|note|description)$/;

export interface ShownText {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** A count before a noun: `{count} devices`. */
export interface CountedNoun extends ShownText {
  readonly noun: string;
}

/** @param pick gives what it finds in a node */
function walk<Found>(pick: (node: ts.Node, at: (node: ts.Node) => { file: string; line: number }) => Found[]): Found[] {
  return listFiles('console/src')
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => {
      const source = ts.createSourceFile(
        file,
        readFileSync(file, 'utf8'),
        ts.ScriptTarget.Latest,
        true,
        ts.ScriptKind.TSX,
      );
      const at = (node: ts.Node) => ({
        file,
        line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1,
      });
      const found: Found[] = [];
      const visit = (node: ts.Node): void => {
        found.push(...pick(node, at));
        ts.forEachChild(node, visit);
      };
      visit(source);
      return found;
    });
}

/** All texts that are shown. */
export const shownTexts = (): ShownText[] =>
  walk((node, at) => {
    if (ts.isJsxText(node) && node.text.trim() !== '') return [{ ...at(node), text: node.text.trim() }];
    const isShown = (ts.isJsxAttribute(node) || ts.isPropertyAssignment(node)) && SHOWN.test(node.name.getText());
    return isShown && node.initializer ? literalsIn(node.initializer).map((text) => ({ ...at(node), text })) : [];
  });

/** The literals that an expression may be: itself, the branches of a condition, the parts of a template. */
function literalsIn(node: ts.Node): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isJsxExpression(node)) return node.expression ? literalsIn(node.expression) : [];
  if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse].flatMap(literalsIn);
  if (ts.isArrowFunction(node)) return literalsIn(node.body);
  if (ts.isTemplateExpression(node)) return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
  return [];
}

/** Nouns in the plural behind a value: right for all counts but one. */
export const countedNouns = (nouns: readonly string[]): CountedNoun[] => {
  const pattern = new RegExp(`^ (${nouns.join('|')})\\b`);
  return walk((node, at) => {
    if (ts.isTemplateSpan(node))
      return nounIn(node.literal.text, pattern).map((noun) => ({ ...at(node), noun, text: node.getText() }));
    if (!ts.isJsxText(node)) return [];
    const siblings = (node.parent as ts.JsxElement).children;
    const before = siblings[siblings.indexOf(node) - 1];
    if (!before || !ts.isJsxExpression(before) || !before.expression) return [];
    return nounIn(node.text.replaceAll(/\s+/g, ' '), pattern).map((noun) => ({
      ...at(node),
      noun,
      text: node.text.trim(),
    }));
  });
};

const nounIn = (text: string, pattern: RegExp): string[] => pattern.exec(text)?.slice(1, 2) ?? [];
