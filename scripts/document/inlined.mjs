/** References to parts that operations share; schemas keep theirs, since they may hold themselves. */
const SHARED = /^#\/components\/(?!schemas\/)([^/]+)\/([^/]+)$/;

/**
 * @template {object} T
 * @param {T} document an OpenAPI document
 * @returns {T} a copy in which each shared answer, parameter, header, example and body is in the place of its reference
 */
export function inlined(document) {
  const copy = (node) => {
    if (Array.isArray(node)) return node.map(copy);
    if (typeof node !== 'object' || node === null) return node;
    const [, kind, name] = SHARED.exec(node.$ref ?? '') ?? [];
    if (kind !== undefined) return copy(document.components?.[kind]?.[name]);
    return Object.fromEntries(Object.entries(node).map(([key, inner]) => [key, copy(inner)]));
  };
  return { ...document, paths: copy(document.paths ?? {}) };
}

/** The operations of a document, by names such as `GET /v1/devices`. */
export function operationsOf({ paths }) {
  return Object.entries(paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
  );
}
