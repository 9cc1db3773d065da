@_spi(ModelKitInternals) public import ModelCore

extension ModelStoreError {
  /// Returns the error of one of several models that were passed to a store together. Its message names the model by
  /// its identifier, or by its index if it has none.
  ///
  /// - Parameters:
  ///   - model: the model that the error is about.
  ///   - index: its index among the models.
  ///   - count: the number of models. The only model of a call is not named.
  @_spi(ModelKitInternals)
  public func naming(_ model: ModelObject, at index: Int, of count: Int) -> ModelStoreError {
    if count < 2 { return self }
    let type = model.storedTypeName.nameForMessage
    let identifier = identifier ?? model.storedIdentifier
    let name = identifier.map { "\(type) \($0.quotedForMessage)" } ?? "\(type) at index \(index)"
    var error = self
    for article in ["This", "It is not certain whether this"] where message.hasPrefix("\(article) \(type) ") {
      let rest = message.dropFirst(article.count + type.count + 2)
      error.message = "\(article == "This" ? "The" : "It is not certain whether the") \(name) \(rest)"
    }
    return error
  }
}
