import ModelKit

/// A draft of a gallery, with its values and those of the original when it was made.
struct EditedDraft {
  let draft: ModelDraft<Gallery>
  let number: Int
  let base: EditedRow
  var mine: EditedRow
}

extension EditingWorld {
  func draftStep() async throws {
    guard draft != nil else { return beginDraft() }
    switch below(5) {
    case 0...2: editDraft()
    case 3 where below(3) == 0:
      note("release the draft")
      draft = nil
    case 3:
      note("discard the draft")
      draft?.draft.discard()
      draft = nil
    default: try await applyDraft()
    }
  }

  private func beginDraft() {
    guard let number = pick(.gallery), let row = live[number] else { return }
    note("draft of \(name(number))")
    draft = EditedDraft(draft: gallery(number).draft(), number: number, base: row, mine: row)
  }

  private func editDraft() {
    guard var edited = draft else { return }
    let model = edited.draft.model
    switch below(7) {
    case 0:
      let size = below(1_000)
      note("draft.size = \(size)")
      model.size = size
      edited.mine["size"] = .size(size)
    case 1: editSign(of: model, &edited.mine) { note("draft.\($0)") }
    case 2, 3: editPlaques(of: model, &edited.mine) { note("draft.\($0)") }
    case 4:
      guard let target = pick(.gallery), target != edited.number else { return }
      note("draft.parent = \(target)")
      model.parent = gallery(target)
      edited.mine["parent"] = .link(target)
    default:
      guard let number = pick(.subject) else { return }
      note("draft adds or removes \(name(number))")
      if edited.mine.subjects.contains(number) {
        model.$subjects.remove(subject(number))
        edited.mine.subjects.removeAll { $0 == number }
      } else {
        model.$subjects.add(subject(number))
        edited.mine.subjects.append(number)
      }
    }
    draft = edited
  }

  /// Compares the draft with its expected values.
  func checkDraft() throws {
    guard let draft else { return }
    let row = Self.row(draft.draft.model)
    let different = row.values.keys.filter { row[$0] != draft.mine[$0] }.sorted()
    try require(different.isEmpty, "draft.\(different): \(row), not \(draft.mine)")
  }

  /// Applies the draft, as one step unless a transaction is open.
  func applyDraft() async throws {
    guard let edited = draft else { return }
    // A draft that refers to deleted models, or is one of a deleted model, is not applied here.
    guard let theirs = live[edited.number], edited.mine.targets.allSatisfy({ live[$0] != nil }) else {
      note("release the draft, which refers to deleted models")
      draft = nil
      return
    }
    var merged = theirs
    var conflicts: Set<String> = [], merges: Set<String> = []
    for (key, mine) in edited.mine.values where mine != edited.base[key] {
      if theirs[key] == edited.base[key] || theirs[key] == mine {
        merged[key] = mine
      } else if key == "size" || key == "parent" {
        conflicts.insert(key)
        merged[key] = mine
      } else {
        merges.insert(key)
      }
    }
    let before = live, label = isInTransaction ? nil : makeLabel()
    note(
      (label.map { "\($0): " } ?? "") + "apply the draft of \(edited.number)"
        + (conflicts.isEmpty ? "" : ", conflicts: \(conflicts.sorted())"))
    if !conflicts.isEmpty {
      do {
        try edited.draft.apply()
        throw EditingFault(description: "a draft with conflicts was applied")
      } catch is ModelDraftError {}
      try checkModels()
    }
    if let label {
      try await step(label) { try edited.draft.apply { _ in .mine } }
    } else {
      try edited.draft.apply { _ in .mine }
    }
    draft = nil
    let found = Self.row(gallery(edited.number))
    // How lists are merged in detail, and embedded models that both edited, is not part of the reference.
    for key in merges { merged[key] = found[key] }
    if merges.contains("subjects") {
      let (base, mine) = (Set(edited.base.subjects), Set(edited.mine.subjects))
      let expected = Set(theirs.subjects).union(mine.subtracting(base)).subtracting(base.subtracting(mine))
      try require(Set(found.subjects) == expected, "merged subjects \(found.subjects), not \(expected.sorted())")
    }
    live[edited.number] = merged
    if let label { try record(from: before, label) }
  }
}
