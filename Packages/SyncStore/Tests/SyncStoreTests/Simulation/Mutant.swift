/// A known failure of synchronisation that is planted in a simulated client, to prove that the checks find it.
enum Mutant: CaseIterable {
  case dropsEntryOnTransientError, dropsDependantsOfParkedEntry, overwritesWithoutNote, dropsEntryWithoutAnswer
  case blocksAfterCrash, believesOldAnswer, stopsAtFailingHead, refetchRevertsEdits, revivesDeletedRecord
  case skipsNewRecords, dropsOutboxAtReset, pullsWithoutOverlap, parksByText
}
