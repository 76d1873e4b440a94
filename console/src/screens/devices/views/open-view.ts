/* Views of the list: own ones are addresses stored in this browser, shared ones are saved selectors of the gateway. */

/** As the address of the screen has it. */
type SearchText = Readonly<Record<string, string | undefined>>;

/** What an own view stores of the address. */
const PARTS = ['q', 'selector', 'sort', 'columns', 'density'] as const;

/** A shared view is a selector: order and columns are each person's own. */
const SHARED_PARTS = ['q', 'selector'] as const;

export interface OwnView {
  readonly name: string;
  readonly search: SearchText;
}

export interface OpenView {
  readonly isShared: boolean;
  readonly name: string;
  /** Whether the list now shows something else than the view. */
  readonly isChanged: boolean;
}

/** What an own view stores of an address. */
const viewOf = (search: SearchText): SearchText => Object.fromEntries(PARTS.map((part) => [part, search[part]]));

/** The address of the list without any view. */
export const NO_VIEW: SearchText = Object.fromEntries([...PARTS, 'row', 'view'].map((part) => [part, undefined]));

const sharedSearch = (name: string): SearchText => ({ selector: `@${name}` });

/** What opens a view. The address names it, so that it is known after the filter was changed. */
export const openOwn = ({ name, search }: OwnView): SearchText => ({ ...NO_VIEW, ...search, view: `own ${name}` });
export const openShared = (name: string): SearchText => ({ ...NO_VIEW, ...sharedSearch(name), view: `shared ${name}` });

const DEFAULTS: SearchText = { sort: 'name' };

const isSame = (one: SearchText, other: SearchText, parts: readonly string[]): boolean =>
  parts.every((part) => (one[part] ?? DEFAULTS[part] ?? '') === (other[part] ?? DEFAULTS[part] ?? ''));

/** The view that an address names, or that shows the same; null: none. */
export function openViewOf(search: SearchText, own: readonly OwnView[], shared: readonly string[]): OpenView | null {
  const all = [
    ...own.map((view) => ({ isShared: false, name: view.name, isChanged: !isSame(search, view.search, PARTS) })),
    ...shared.map((name) => ({
      isShared: true,
      name,
      isChanged: !isSame(search, sharedSearch(name), SHARED_PARTS),
    })),
  ];
  const named = all.find(({ isShared, name }) => search['view'] === `${isShared ? 'shared' : 'own'} ${name}`);
  return named ?? all.find(({ isChanged }) => !isChanged) ?? null;
}

/** Own views with one more, or with another one in the place of that of its name. */
export const withView = (own: readonly OwnView[], name: string, search: SearchText): OwnView[] =>
  own.some((view) => view.name === name)
    ? own.map((view) => (view.name === name ? { name, search: viewOf(search) } : view))
    : [...own, { name, search: viewOf(search) }];
