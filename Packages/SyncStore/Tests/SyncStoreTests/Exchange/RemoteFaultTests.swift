import StoreProtocol
import Testing

@testable import SyncStore

@Suite struct `An error of the remote store` {
  @Test(arguments: [ModelStoreError.Code.offline, .timeout, .cancelled])
  func `An error of the remote store leaves the outcome open if no response arrived`(code: ModelStoreError.Code) {
    #expect(RemoteFault.answer(ModelStoreError(code, "400")) == .none)
  }

  @Test(arguments: [
    (ModelStoreError.Code.notFound, 404), (.conflict, 409), (.unauthorized, 401), (.denied, 403), (.unsupported, 405),
    (.invalid, 422), (.noIdentifier, 422), (.server, 500), (.full, 500),
  ])
  func `The code of an error without status decides, whatever its text contains`(
    code: ModelStoreError.Code, status: Int
  ) {
    #expect(RemoteFault.answer(ModelStoreError(code, "400")) == .refused(status: status, message: "400"))
  }

  @Test func `An error of the remote store is unreadable if the response was invalid`() {
    #expect(RemoteFault.answer(ModelStoreError(.corrupt, "nonsense")) == .unreadable("nonsense"))
  }
}
