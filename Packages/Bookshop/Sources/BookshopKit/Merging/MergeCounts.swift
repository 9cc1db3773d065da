package import ModelKit

/// Counts of models that were put into a store, by outcome.
package struct MergeCounts: Hashable, Sendable {
  package var added = 0
  package var updated = 0
  package var unchanged = 0
  package var rejected = 0

  package init(added: Int = 0, updated: Int = 0, unchanged: Int = 0, rejected: Int = 0) {
    self.added = added
    self.updated = updated
    self.unchanged = unchanged
    self.rejected = rejected
  }

  /// The number of models that are in the store now.
  package var kept: Int { added + updated + unchanged }

  /// The counts as JSON.
  package var json: JSONValue {
    ["added": .int(added), "updated": .int(updated), "unchanged": .int(unchanged), "rejected": .int(rejected)]
  }

  package static func += (left: inout MergeCounts, right: MergeCounts) {
    left.added += right.added
    left.updated += right.updated
    left.unchanged += right.unchanged
    left.rejected += right.rejected
  }
}
