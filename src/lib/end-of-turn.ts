let end: Promise<void> | undefined;

/**
 * Waits until this turn of the event loop has taken in everything that has arrived; one promise for all who wait.
 *
 * Why     requests that come together are read one after another and then answered one after another. That costs a third
 *         less than answering each in between: the receiver of an answer is woken once, not for each of them.
 */
export function endOfTurn(): Promise<void> {
  end ??= new Promise((done) => {
    setImmediate(() => {
      end = undefined;
      done();
    });
  });
  return end;
}
