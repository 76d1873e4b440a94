import { Batching } from '../../platform/database/batching.js';
import { isWrongValue } from '../../platform/wrong-value.js';

/** What a job claims or saves beside others can wait this long for more of them. */
const REST_MS = 20;

/**
 * Answers many questions of one moment in one batch: undefined for one that has no answer, or whose row another process has
 * locked. `isPatient` waits for locks.
 */
export type AnswerAll<Question, Answer> = (
  questions: readonly Question[],
  isPatient: boolean,
) => Promise<(Answer | undefined)[]>;

/**
 * A batch in which no question delays the others. Locked rows are skipped, and a value that Postgres refuses fails the whole
 * batch. Questions without an answer are asked again alone, and wait for locks.
 */
export class PatientBatching<Question, Answer> {
  private readonly batch = new Batching<Question, Answer | undefined>((all) => this.answer(all), REST_MS);

  constructor(private readonly answerAll: AnswerAll<Question, Answer>) {}

  /** @returns undefined when there is no answer, also from a row that was locked */
  async ask(question: Question): Promise<Answer | undefined> {
    return (await this.batch.add(question)) ?? this.askAlone(question);
  }

  async askAlone(question: Question): Promise<Answer | undefined> {
    const [answer] = await this.answerAll([question], true);
    return answer;
  }

  private async answer(questions: readonly Question[]): Promise<(Answer | undefined)[]> {
    try {
      return await this.answerAll(questions, false);
    } catch (error) {
      if (questions.length === 1 || !isWrongValue(error)) throw error;
      return [];
    }
  }
}
