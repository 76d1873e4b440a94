import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { countText } from '../../../api/amount-text.js';
import { Button } from '../../../ui/button.js';
import { useSearchText } from '../../../ui/to.js';
import { useRememberedCalls } from '../use-remembered-calls.js';
import css from './asking.module.css';
import { foundQuestions, type Question, type QuestionGroup, questionGroups, questionTitle } from './questions.js';

/** What is asked, in words: a searched list until one is chosen, then its title. */
export function QuestionChoice(): ReactNode {
  const [{ method = 'GET', path = '' }, change] = useSearchText();
  const [isChoosing, setChoosing] = useState(false);
  if (path.startsWith('/') && !isChoosing)
    return <Chosen method={method} path={path} onChange={() => setChoosing(true)} />;
  return (
    <QuestionList
      autoFocus={isChoosing}
      onLeave={() => setChoosing(false)}
      onChoose={(one) => {
        change({ method: one.method, path: one.path, ...(one.selector ? { selector: one.selector } : {}) });
        setChoosing(false);
      }}
    />
  );
}

interface ChosenProps {
  method: string;
  path: string;
  onChange: () => void;
}

function Chosen({ method, path, onChange }: ChosenProps): ReactNode {
  const [{ selector = '' }] = useSearchText();
  const [{ favourites }, mark] = useRememberedCalls();
  const now = { method, path, selector };
  const isMarked = favourites.some((one) => one.method === method && one.path === path && one.selector === selector);
  return (
    <div className="field">
      <span className={css.label}>{method === 'GET' ? 'You ask for' : 'You send'}</span>
      <div className={css.asked}>
        <strong className="foreign" title={`${method} ${path}`}>
          {questionTitle(now)}
        </strong>
        <Button onClick={onChange}>Ask something else</Button>
      </div>
      {selector !== '' && (
        <button
          type="button"
          className={`button ${css.star}`}
          data-kind="quiet"
          aria-pressed={isMarked}
          onClick={() => mark(now)}
        >
          {isMarked ? '★ A favourite' : '☆ Keep as a favourite'}
        </button>
      )}
    </div>
  );
}

interface QuestionListProps {
  autoFocus: boolean;
  /** Back to what was chosen before. */
  onLeave: () => void;
  onChoose: (question: Question) => void;
}

/** Typing searches; arrows choose, Enter takes what is chosen. */
function QuestionList({ autoFocus, onLeave, onChoose }: QuestionListProps): ReactNode {
  const id = useId();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [remembered] = useRememberedCalls();
  const groups = foundQuestions(questionGroups(remembered), text);
  const all = groups.flatMap(({ questions }) => questions);
  const pressed = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const chosen = all[at];
    if (step !== 0 && all.length > 0) {
      const next = (at + step + all.length) % all.length;
      setAt(next);
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter' && chosen) onChoose(chosen);
    else if (event.key === 'Escape') onLeave();
    else return;
    event.preventDefault();
  };
  return (
    <div className="field">
      <label htmlFor={`${id}-text`}>What do you want to ask?</label>
      <input
        id={`${id}-text`}
        className="input"
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={all[at] ? `${id}-${at}` : undefined}
        placeholder="Such as: signal, firmware, DHCP"
        autoComplete="off"
        autoFocus={autoFocus}
        value={text}
        onKeyDown={pressed}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
      />
      <Options id={id} groups={groups} at={at} onHover={setAt} onChoose={onChoose} />
      <span className="hint" role="status">
        {all.length === 0
          ? 'Nothing has these words. A path of the device can be typed under “Advanced”.'
          : `${countText(all.length, 'question')}. ↑ and ↓ choose, Enter takes it.`}
      </span>
    </div>
  );
}

interface OptionsProps {
  id: string;
  groups: readonly QuestionGroup[];
  /** The place of the chosen one among all. */
  at: number;
  onHover: (at: number) => void;
  onChoose: (question: Question) => void;
}

function Options({ id, groups, at, onHover, onChoose }: OptionsProps): ReactNode {
  const starts = groups.map((_, n) => groups.slice(0, n).reduce((sum, { questions }) => sum + questions.length, 0));
  return (
    <div id={id} role="listbox" aria-label="What can be asked" className={css.list} hidden={groups.length === 0}>
      {groups.map(({ title, questions }, group) => (
        <ul key={title} role="group" aria-label={title}>
          <li role="presentation" className={css.group}>
            {title}
          </li>
          {questions.map((question, n) => (
            <Option
              key={question.key}
              id={`${id}-${starts[group]! + n}`}
              question={question}
              isChosen={starts[group]! + n === at}
              onHover={() => onHover(starts[group]! + n)}
              onChoose={onChoose}
            />
          ))}
        </ul>
      ))}
    </div>
  );
}

interface OptionProps {
  id: string;
  question: Question;
  isChosen: boolean;
  /** The pointer moves onto it: it is the chosen one, as an arrow key makes it. */
  onHover: () => void;
  onChoose: (question: Question) => void;
}

function Option({ id, question, isChosen, onHover, onChoose }: OptionProps): ReactNode {
  const { method, path, title, note } = question;
  return (
    <li
      id={id}
      role="option"
      aria-selected={isChosen}
      title={`${method} ${path}`}
      className={css.option}
      onPointerMove={onHover}
      onClick={() => onChoose(question)}
    >
      <span className="cut foreign">{title}</span>
      <span className="small quiet cut foreign">{note}</span>
    </li>
  );
}
