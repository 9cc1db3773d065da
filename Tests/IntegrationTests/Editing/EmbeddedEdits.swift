import ModelKit

extension EditingWorld {
  /// Replaces, removes or edits the embedded model of a gallery, or of a draft of one.
  func editSign(
    of gallery: Gallery, _ row: inout EditedRow, _ note: (String) -> Void
  ) {
    let text = below(1_000)
    switch below(4) {
    case 0:
      note("sign = none")
      gallery.sign = nil
      row.sign = nil
    case 1 where row.sign != nil:
      note("sign.text = \(text)")
      gallery.sign?.text = text
      row.sign?.text = text
    case 2 where row.sign != nil:
      note("sign.marks.add(\(text))")
      gallery.sign?.$marks.add(Mark(text))
      row.sign?.marks.append(text)
    default:
      row.sign = PlaqueValue(text: text, marks: below(2) == 0 ? [] : [text, text + 1])
      note("sign = new \(row.sign.map { "\($0)" } ?? "")")
      gallery.sign = row.sign.map { Plaque($0) }
    }
  }

  /// Edits the embedded list of a gallery, or of a draft of one.
  func editPlaques(
    of gallery: Gallery, _ row: inout EditedRow, _ note: (String) -> Void
  ) {
    let text = below(1_000), index = below(max(row.plaques.count, 1))
    guard row.plaques.indices.contains(index), let plaque = gallery.plaques?[index] else {
      note("plaques.add(new \(text))")
      gallery.$plaques.add(Plaque(PlaqueValue(text: text)))
      row.plaques.append(PlaqueValue(text: text))
      return
    }
    switch below(9) {
    case 0:
      note("plaques.add(new \(text)[\(text)])")
      gallery.$plaques.add(Plaque(PlaqueValue(text: text, marks: [text])))
      row.plaques.append(PlaqueValue(text: text, marks: [text]))
    case 1:
      note("plaques.remove(\(index))")
      gallery.$plaques.remove(plaque)
      row.plaques.remove(at: index)
    case 2:
      note("plaques.reverse()")
      gallery.plaques?.reverse()
      row.plaques.reverse()
    case 3:
      row.plaques = (0..<below(3)).map { PlaqueValue(text: text + $0, marks: [$0]) }
      note("plaques = new \(row.plaques)")
      gallery.plaques = row.plaques.map { Plaque($0) }
    case 4, 5:
      note("plaques[\(index)].text = \(text)")
      plaque.text = text
      row.plaques[index].text = text
    default:
      editMarks(of: plaque, &row.plaques[index]) { note("plaques[\(index)].\($0)") }
    }
  }

  private func editMarks(
    of plaque: Plaque, _ value: inout PlaqueValue, _ note: (String) -> Void
  ) {
    let text = below(1_000), index = below(max(value.marks.count, 1))
    if value.marks.indices.contains(index), let mark = plaque.marks?[index], below(3) > 0 {
      if below(2) == 0 {
        note("marks.remove(\(index))")
        plaque.$marks.remove(mark)
        value.marks.remove(at: index)
      } else {
        note("marks[\(index)].text = \(text)")
        mark.text = text
        value.marks[index] = text
      }
    } else {
      note("marks.add(\(text))")
      plaque.$marks.add(Mark(text))
      value.marks.append(text)
    }
  }
}
