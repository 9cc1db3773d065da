import ModelKit

extension EditingWorld {
  /// Makes some edits, as one step of the history.
  func editStep() throws {
    let before = live
    if below(3) == 0 {
      edit()
      try record(from: before, nil)
    } else {
      let label = makeLabel()
      note(label)
      undo.step(label) { for _ in 0...below(3) { edit() } }
      try record(from: before, label)
    }
  }

  /// Edits a value, a link, or a list.
  func edit(createsModels: Bool = true) {
    switch below(18) {
    case 0, 1: editSize()
    case 2...5: if let number = pick(.gallery) { editPlaques(of: number) }
    case 6: if let number = pick(.gallery) { editSign(of: number) }
    case 7...9: editSubjects()
    case 10...12: move()
    case 13: moveGallery()
    case 14: linkPicture()
    default: if createsModels { addModel() }
    }
  }

  private func editSize() {
    guard let number = pick(live.numbers) else { return }
    let size = below(1_000)
    note("\(name(number)).size = \(size)")
    live[number]?["size"] = .size(size)
    setSize(number, size)
  }

  func setSize(_ number: Int, _ size: Int) { Self.setSize(models[number], size) }

  static func setSize(_ model: (any Model)?, _ size: Int) {
    switch model {
    case let gallery as Gallery: gallery.size = size
    case let picture as Picture: picture.size = size
    case let permit as Permit: permit.size = size
    case let subject as Subject: subject.size.value = size
    default: break
    }
  }

  func name(_ number: Int) -> String { "\((live[number] ?? stored[number])?.kind.rawValue ?? "deleted") \(number)" }

  // MARK: Embedded models

  private func editSign(of number: Int) {
    guard var row = live[number] else { return }
    editSign(of: gallery(number), &row) { note("\(name(number)).\($0)") }
    live[number] = row
  }

  private func editPlaques(of number: Int) {
    guard var row = live[number] else { return }
    editPlaques(of: gallery(number), &row) { note("\(name(number)).\($0)") }
    live[number] = row
  }

  // MARK: Links

  private func editSubjects() {
    guard let number = pick(.gallery), let subject = pick(.subject), var row = live[number] else { return }
    let (gallery, other) = (gallery(number), self.subject(subject)), isHere = below(2) == 0
    switch below(5) {
    case 0 where row.subjects.count > 1:
      note("\(name(number)).subjects.reverse()")
      gallery.subjects?.reverse()
      row.subjects.reverse()
    case 1:
      row.subjects = live.numbers(.subject).filter { _ in below(2) == 0 }
      note("\(name(number)).subjects = \(row.subjects)")
      gallery.subjects = row.subjects.map(self.subject)
    case _ where row.subjects.contains(subject):
      note(isHere ? "\(name(number)).subjects.remove(\(subject))" : "\(name(subject)).galleries.remove(\(number))")
      if isHere { gallery.$subjects.remove(other) } else { other.galleries.remove(gallery) }
      row.subjects.removeAll { $0 == subject }
    default:
      note(isHere ? "\(name(number)).subjects.add(\(subject))" : "\(name(subject)).galleries.add(\(number))")
      if isHere { gallery.$subjects.add(other) } else { other.galleries.add(gallery) }
      row.subjects.append(subject)
    }
    live[number] = row
  }

  /// Moves a picture or a permit to another gallery.
  private func move() {
    guard let number = pick(below(4) == 0 ? .permit : .picture) else { return }
    let target = below(4) == 0 ? nil : pick(.gallery), isHere = below(2) == 0
    let other = target.map(gallery)
    if let target, let other, !isHere {
      note("\(name(target)) adds \(name(number))")
      switch models[number] {
      case let picture as Picture: other.$pictures.add(picture)
      case let permit as Permit: other.$permits.add(permit)
      default: break
      }
    } else {
      note("\(name(number)).gallery = \(target.map(name) ?? "none")")
      switch models[number] {
      case let picture as Picture: picture.gallery = other
      case let permit as Permit: permit.gallery = other
      default: break
      }
    }
    live[number]?["gallery"] = .link(target)
  }

  private func moveGallery() {
    guard let number = pick(.gallery) else { return }
    let target = below(4) == 0 ? nil : pick(.gallery)
    if let target, below(2) == 0 {
      note("\(name(target)).children.add(\(number))")
      gallery(target).$children.add(gallery(number))
    } else {
      note("\(name(number)).parent = \(target.map(name) ?? "none")")
      gallery(number).parent = target.map(gallery)
    }
    live[number]?["parent"] = .link(target)
  }

  private func linkPicture() {
    guard let number = pick(.picture) else { return }
    let target = below(3) == 0 ? nil : pick(.picture)
    note("\(name(number)).next = \(target.map(name) ?? "none")")
    picture(number).next = target.map(picture)
    live[number]?["next"] = .link(target)
  }

  // MARK: New models

  /// Adds a new model that is linked to a live one, and not saved.
  func addModel() {
    guard let target = pick(.gallery), let made = makeModel() else { return }
    let (number, model) = made, gallery = gallery(target), isHere = below(2) == 0
    switch model {
    case let picture as Picture: if isHere { picture.gallery = gallery } else { gallery.$pictures.add(picture) }
    case let permit as Permit: if isHere { permit.gallery = gallery } else { gallery.$permits.add(permit) }
    case let child as Gallery: if isHere { child.parent = gallery } else { gallery.$children.add(child) }
    case let subject as Subject: if isHere { subject.galleries.add(gallery) } else { gallery.$subjects.add(subject) }
    default: break
    }
    switch model {
    case is Subject: live[target]?.subjects.append(number)
    case is Gallery: live[number]?["parent"] = .link(target)
    default: live[number]?["gallery"] = .link(target)
    }
    note("new \(name(number)) of \(name(target)), set at \(isHere ? "the new one" : "the other one")")
  }

  /// Makes a model without links, which is in no scope.
  func makeModel() -> (number: Int, model: any Model)? {
    let number = (models.keys.max() ?? 0) + 1
    let model: any Model
    switch EditedRow.Kind.allCases[below(EditedRow.Kind.allCases.count)] {
    case .gallery:
      let gallery = Gallery()
      gallery.number = number
      if below(2) == 0 { gallery.sign = Plaque(PlaqueValue(text: number, marks: [1])) }
      if below(2) == 0 { gallery.plaques = [Plaque(PlaqueValue(text: number))] }
      model = gallery
    case .picture:
      let picture = Picture()
      picture.number = number
      model = picture
    case .permit:
      let permit = Permit()
      permit.number = number
      model = permit
    case .subject:
      let subject = Subject()
      subject.number.value = number
      model = subject
    }
    Self.setSize(model, number)
    add(model, number)
    return (number, model)
  }
}
