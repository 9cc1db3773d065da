/// The models of one type in a ``MemoryRegistry``.
final class LiveModels {
  /// Models whose end takes them out of here, not retained. Touched only under the lock of the registry, because a model
  /// may come to its end in any thread.
  let numbers = PointerTable()
  var texts: [ExactText: UnsafeMutableRawPointer] = [:]
  /// Models of which nobody says when they come to their end, and other identifiers of models. Touched in the isolation of
  /// the registry and not under its lock: to look at a weak reference may be what keeps a model alive the longest.
  private var weakModels: [RegisteredIdentifier: WeakModel] = [:]
  private var sweepThreshold = 64

  private struct WeakModel {
    weak var model: ModelObject?
  }

  var hasNoneWeakly: Bool { weakModels.isEmpty }

  func weakModel(_ identifier: RegisteredIdentifier) -> ModelObject? {
    weakModels.isEmpty ? nil : weakModels[identifier]?.model
  }

  func putWeakly(_ model: ModelObject, _ identifier: RegisteredIdentifier) {
    if weakModels.count >= sweepThreshold {
      weakModels = weakModels.filter { $0.value.model != nil }
      sweepThreshold = max(64, 2 * weakModels.count)
    }
    weakModels[identifier] = WeakModel(model: model)
  }

  func removeWeakly(_ identifier: RegisteredIdentifier) {
    if !weakModels.isEmpty { weakModels[identifier] = nil }
  }

  func reserveWeakly(_ additional: Int) { weakModels.reserveCapacity(weakModels.count + additional) }

  // MARK: Under the lock

  subscript(identifier: RegisteredIdentifier) -> UnsafeMutableRawPointer? {
    @inline(__always) get {
      switch identifier {
      case .number(let number): numbers[number]
      case .text(let text): texts[text]
      }
    }
  }

  /// - Parameter keeps: whether the object that is there stays.
  @inline(__always)
  func put(
    _ model: UnsafeMutableRawPointer, _ identifier: RegisteredIdentifier,
    unless keeps: (UnsafeMutableRawPointer) -> Bool
  ) {
    switch identifier {
    case .number(let number): numbers.put(model, at: number, unless: keeps)
    case .text(let text):
      if let known = texts[text], keeps(known) { return }
      texts[text] = model
    }
  }

  /// Removes a model, if it is there.
  func remove(_ model: UnsafeMutableRawPointer, _ identifier: RegisteredIdentifier) {
    switch identifier {
    case .number(let number): numbers.remove(model, at: number)
    case .text(let text): if texts[text] == model { removeText(text) }
    }
  }

  /// Removes what is there.
  func remove(_ identifier: RegisteredIdentifier) {
    switch identifier {
    case .number(let number): numbers.remove(at: number)
    case .text(let text): removeText(text)
    }
  }

  private func removeText(_ text: ExactText) {
    texts[text] = nil
    // A dictionary never gives room back by itself.
    if texts.isEmpty, texts.capacity > 64 { texts = [:] }
  }

  var isEmpty: Bool { numbers.count == 0 && texts.isEmpty }
}
