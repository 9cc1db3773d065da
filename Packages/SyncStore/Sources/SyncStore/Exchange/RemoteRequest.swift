import FieldKit
@_spi(ModelKitInternals) import ModelCore
import StoreProtocol

/// A recorded request, as values that can leave the isolation of the exchange.
struct RemoteRequest: Sendable {
  var type: any Model.Type
  var identifier: String
  var isTemporary: Bool
  var flight: OutboxEntry.Flight
}

/// The answer of the remote store to a request, as values that can leave the isolation of its models.
enum RemoteAnswer: Sendable {
  /// The request took effect. The identifier and the record are the server's, nil after a deletion.
  case stored(identifier: String?, record: AttributeDictionary?)
  /// The request failed, or its outcome is unknown.
  case failed(ModelStoreError)

  /// The answer for the lane.
  var laneAnswer: Lane.Answer {
    switch self {
    case .stored(_, let record): .stored(record)
    case .failed(let error): RemoteFault.answer(error)
    }
  }

  /// Whether no other request can succeed now.
  var endsExchange: Bool {
    if case .failed(let error) = self { RemoteFault.endsExchange(error) } else { false }
  }

  /// Returns the identifier and the record of the answer if the identifier differs from the one that was sent.
  func replacement(of identifier: String) -> (identifier: String, record: AttributeDictionary)? {
    guard case .stored(let answered?, let record?) = self, ExactText(answered) != ExactText(identifier) else {
      return nil
    }
    return (answered, record)
  }
}

extension RemoteRecords {
  /// Sends a request.
  ///
  /// - Parameters:
  ///   - flight: the request.
  ///   - type: the class of the model.
  ///   - identifier: the identifier of the record.
  ///   - isTemporary: whether the server assigns the identifier.
  ///   - version: the model with the version of the record that the request is about; nil for a creation.
  func answer<M: Model>(
    to flight: OutboxEntry.Flight, _ type: M.Type, _ identifier: String, isTemporary: Bool, over version: M?
  ) async -> RemoteAnswer {
    do {
      let answered = try await send(type, identifier, isTemporary: isTemporary, flight, over: version)
      return .stored(identifier: answered?.identifier, record: try answered?.record(over: flight.record))
    } catch {
      return .failed(RemoteFault.storeError(error))
    }
  }

  /// Sends a creation.
  func answer(to request: RemoteRequest) async -> RemoteAnswer {
    func answer<M: Model>(_ type: M.Type) async -> RemoteAnswer {
      await self.answer(
        to: request.flight, type, request.identifier, isTemporary: request.isTemporary, over: nil)
    }
    return await answer(request.type)
  }
}
