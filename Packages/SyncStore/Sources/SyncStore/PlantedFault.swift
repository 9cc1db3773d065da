/// A known failure of synchronisation that a test plants, to prove that the simulation finds it. The cases are in the
/// order of the fifteen failures in the design.
///
/// A release build has none of them: the checks are constants there.
enum PlantedFault: CaseIterable {
  /// A record is dropped after a temporary error.
  case dropsRecordOnTransientError
  /// A child is dropped beside a parent that has a conflict or was rejected.
  case dropsDependantsOfHeldRecord
  /// The last edit wins without a merge, and nothing records the value that lost.
  case overwritesWithoutNote
  /// The outbox does not show what the server rejected.
  case hidesRejectedEntries
  /// A request is not sent again after its answer was lost.
  case abandonsUnansweredRequest
  /// A process that was killed during a synchronisation blocks all later ones.
  case blocksAfterCrash
  /// Reads go backwards: a pushed record has its previous values again.
  case restoresBaseAfterPush
  /// A failing entry at the head of the outbox blocks all others.
  case stopsAtFailingHead
  /// A pull reverts edits that wait to be sent.
  case pullRevertsPendingEdits
  /// A temporary identifier stays in queued requests after the server assigned another one.
  case keepsTemporaryReferences
  /// A deleted record reappears.
  case revivesDeletedRecord
  /// Records that become visible later are never pulled.
  case neverComparesAgain
  /// Unsent data is lost when all records are compared.
  case dropsOutboxAtComparison
  /// Records are skipped because their change time was taken before their commit.
  case pullsWithoutOverlap
  /// An error counts as permanent because of its text.
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
