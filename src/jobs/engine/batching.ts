import { GroupCommit } from '../../platform/database/group-commit.js';
import { isWrongValue } from '../../platform/wrong-value.js';

/** What a job claims or saves beside others can wait this long for more of them. */
const REST_MS = 20;

/**
 * Answers many questions of one moment together: undefined for one that has no answer, or whose row somebody else has
 * locked. `isPatient` waits for locks.
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
 * Many that ask the database for the same kind of thing share its statements and their commit. None can hold up the
 * others: a locked row is passed over, and a value that Postgres refuses sends all away unanswered. Who has no answer
 * asks again, alone, with the patience to wait.
 */
export class Batching<Question, Answer> {
  private readonly group: GroupCommit<Asked<Question, Answer>>;

  constructor(private readonly answerAll: AnswerAll<Question, Answer>) {
    this.group = new GroupCommit((asked) => this.answer(asked), REST_MS);
  }

  /** @returns undefined when there is no answer, whoever may have had the row locked meanwhile */
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
