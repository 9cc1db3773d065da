/// The models of one type in a ``MemoryRegistry``.
final class LiveModels {
  /// Models that remove themselves on deallocation, not retained. Accessed only under the lock of the registry, because
  /// a model may be deallocated in any thread.
  let numbers = PointerTable()
  var texts: [ExactText: UnsafeMutableRawPointer] = [:]
  /// Models registered without removal on deallocation, and aliases of models. Accessed in the isolation of the
  /// registry and not under its lock: reading a weak reference may create the last strong one.
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

  // MARK: Access under the lock

  subscript(identifier: RegisteredIdentifier) -> UnsafeMutableRawPointer? {
    @inline(__always) get {
      switch identifier {
      case .number(let number): numbers[number]
      case .text(let text): texts[text]
      }
    }
  }

  /// - Parameter keeps: returns whether the registered object stays.
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

  /// Removes a model, if it is registered.
  func remove(_ model: UnsafeMutableRawPointer, _ identifier: RegisteredIdentifier) {
    switch identifier {
    case .number(let number): numbers.remove(model, at: number)
    case .text(let text): if texts[text] == model { removeText(text) }
    }
  }

  /// Removes the model under an identifier.
  func remove(_ identifier: RegisteredIdentifier) {
    switch identifier {
    case .number(let number): numbers.remove(at: number)
    case .text(let text): removeText(text)
    }
  }

  private func removeText(_ text: ExactText) {
    texts[text] = nil
    // A dictionary never frees its capacity by itself.
    if texts.isEmpty, texts.capacity > 64 { texts = [:] }
  }

  var isEmpty: Bool { numbers.count == 0 && texts.isEmpty }
}
