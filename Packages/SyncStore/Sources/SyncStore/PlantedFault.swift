/// A known failure of synchronisation that a test plants, to prove that the simulation finds it.
///
/// A release build has none of them: the checks are constants there.
enum PlantedFault: CaseIterable {
  case dropsRecordOnTransientError, dropsDependantsOfHeldRecord, overwritesWithoutNote, hidesRejectedEntries
  case abandonsUnansweredRequest, blocksAfterCrash, restoresBaseAfterPush, stopsAtFailingHead, pullRevertsPendingEdits
  case keepsTemporaryReferences, revivesDeletedRecord, neverComparesAgain, dropsOutboxAtComparison, pullsWithoutOverlap
  case parksByText

  #if DEBUG
    /// The failure that is planted in the current task; nil for none.
    @TaskLocal static var current: PlantedFault?
  #endif

  /// Returns whether a failure is planted.
  @inline(__always)
  static func isPlanted(_ fault: @autoclosure () -> PlantedFault) -> Bool {
    #if DEBUG
      current == fault()
    #else
      false
    #endif
  }
}
