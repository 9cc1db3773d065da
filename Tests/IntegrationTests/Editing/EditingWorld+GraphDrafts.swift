import ModelKit

extension EditingWorld {
  /// Edits a gallery and its members in a draft, with a new one, and applies it as one step.
  func graphDraftStep() throws {
    guard let number = pickStored(), live[number]?.kind == .gallery else { return }
    let before = live, label = makeLabel(), gallery = gallery(number)
    let draft = gallery.draft(including: [gallery.$pictures, gallery.$subjects])
    note("\(label): draft of \(name(number)) with pictures and subjects")
    let size = below(1_000)
    note("  size = \(size)")
    draft.size = size
    live[number]?["size"] = .size(size)
    if let member = pick(before.members(of: number, .picture).sorted()) {
      let copy = draft.pictures?.first { $0.number == member }
      note("  \(name(member)).size = \(size + 1)")
      copy?.size = size + 1
      live[member]?["size"] = .size(size + 1)
      if below(2) == 0, let copy {
        note("  remove \(name(member))")
        draft.$pictures.remove(copy)
        live[member]?["gallery"] = .link(nil)
      }
    }
    if let member = pick(live[number]?.subjects ?? []) {
      note("  \(name(member)).size = \(size + 2)")
      draft.subjects?.first { $0.number.value == member }?.size.value = size + 2
      live[member]?["size"] = .size(size + 2)
    }
    var added: Picture?
    if below(2) == 0 {
      let picture = draft.makeModel(Picture.self)
      picture.number = (models.keys.max() ?? 0) + 1
      note("  new picture \(picture.number)")
      draft.$pictures.add(picture)
      added = picture
    }
    if below(4) == 0 {
      note("  discard")
      draft.discard()
      live = before
      return
    }
    try undo.step(label) { _ = try draft.apply() }
    if let added { add(added, added.number) }
    try record(from: before, label)
  }
}
