import { GroupCommit } from '../../platform/database/group-commit.js';
import { isWrongValue } from '../../platform/wrong-value.js';

/** How long claims and saves wait for others to share a statement. */
const REST_MS = 20;

/**
 * Answers many questions of one moment together: undefined for one without an answer, or whose row is locked.
 * `isPatient` waits for locks.
 */
export type AnswerAll<Question, Answer> = (
  questions: readonly Question[],
  isPatient: boolean,
) => Promise<(Answer | undefined)[]>;

interface Asked<Question, Answer> {
  readonly question: Question;
  answer: Answer | undefined;
}

/**
 * Batches equal database requests into shared statements and one commit. None delays the others: a locked row is
 * skipped, and a value that Postgres refuses leaves all unanswered. A request without an answer is repeated alone, and
 * then waits for locks.
 */
export class Batching<Question, Answer> {
  private readonly group: GroupCommit<Asked<Question, Answer>>;

  constructor(private readonly answerAll: AnswerAll<Question, Answer>) {
    this.group = new GroupCommit((asked) => this.answer(asked), REST_MS);
  }

  /** @returns undefined when there is no answer, also after waiting for a locked row */
  async ask(question: Question): Promise<Answer | undefined> {
    const asked: Asked<Question, Answer> = { question, answer: undefined };
    await this.group.add(asked);
    return asked.answer ?? this.askAlone(question);
  }

  async askAlone(question: Question): Promise<Answer | undefined> {
    const [answer] = await this.answerAll([question], true);
    return answer;
  }

  private async answer(all: readonly Asked<Question, Answer>[]): Promise<void> {
    try {
      const answers = await this.answerAll(
        all.map(({ question }) => question),
        false,
      );
      for (const [place, asked] of all.entries()) asked.answer = answers[place];
    } catch (error) {
      if (all.length === 1 || !isWrongValue(error)) throw error;
    }
  }
}
