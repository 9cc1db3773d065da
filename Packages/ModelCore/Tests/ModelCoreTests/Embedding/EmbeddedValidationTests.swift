import FieldKit
import ModelCore
import Testing

private final class Purchase: Model {
  @Field var id: Int?
  @Required(.notBlank) var number = "1"
  @ModelArrayField var lines: [PurchaseLine]?
  @ModelField var address: PurchaseAddress?
  @ModelField(foreignKey: true, inverse: \.$orders) var customer: Buyer?
  override var identifierField: AnyField? { $id }
}

private final class PurchaseLine: Model {
  @Required(.range(1...)) var quantity = 1
  @Field var first: Int?
  @Field var last: Int?
  @ModelField var address: PurchaseAddress?

  required init() {
    super.init()
    requireAll($first, $last, blaming: [$last], message: "must not be before first") { $0 <= $1 }
  }
}

private final class PurchaseAddress: Model {
  @Required(.notBlank) var city = "London"
}

private final class Buyer: Model {
  @Field var id: Int?
  @Required(.notBlank) var name = ""
  @ModelArrayField var orders: [Purchase]?
  override var identifierField: AnyField? { $id }
}

@Suite struct `An embedded model is validated with its owner` {
  private func order() -> Purchase {
    let order = Purchase()
    order.lines = [PurchaseLine(), PurchaseLine()]
    return order
  }

  @MainActor
  @Test func `A task that a rule starts validates embedded models that were edited since`() async {
    let order = order()
    var later: Task<ValidationState, Never>?
    order.$number.require { [unowned order] _ in
      if later == nil { later = Task { order.validate() } }
      return true
    }
    #expect(order.validate() == .valid)
    order.lines?[0].quantity = 0
    #expect(await later?.value == .invalid(["lines[0].quantity must be greater than or equal to 1"]))
  }

  @Test func `Validating an owner validates the models inside it, at any depth, with their paths`() {
    let order = order()
    #expect(order.validate() == .valid)
    order.lines?[1].quantity = 0
    order.lines?[0].address = PurchaseAddress()
    order.lines?[0].address?.city = ""
    order.address = PurchaseAddress()
    order.address?.city = ""
    order.number = ""
    let expected = [
      "number cannot be blank", "lines[0].address.city cannot be blank",
      "lines[1].quantity must be greater than or equal to 1", "address.city cannot be blank",
    ]
    #expect(order.validate() == .invalid(expected))
    #expect(order.validationErrors.map(\.description) == expected)
    #expect(order.validationErrors[2].path == ["lines", 1, "quantity"])
    #expect(order.lines?[1].validationErrors.map(\.description) == ["quantity must be greater than or equal to 1"])
  }

  @Test func `The errors of an owner follow those of the models inside it`() {
    let order = order()
    order.lines?[1].quantity = 0
    order.lines?[1].validate()
    #expect(order.validationErrors.map { "\($0.path)" } == ["lines[1].quantity"])
    order.lines?.remove(at: 0)
    #expect(order.validationErrors.map { "\($0.path)" } == ["lines[0].quantity"])
    order.lines?[0].quantity = 2
    #expect(order.validationErrors == [])
    order.lines?[0].quantity = 0
    order.validate()
    order.resetValidationState()
    #expect(order.validationErrors == [] && order.lines?[0].validationErrors == [])
  }

  @Test func `Rules over several fields of an embedded model are checked with the owner`() {
    let order = order()
    order.lines?[0].first = 2
    order.lines?[0].last = 1
    #expect(order.validate().messages == ["lines[0].last must not be before first"])
  }

  @Test func `An error that is added at the path of an embedded model is listed once, and ends with the next set`() {
    let order = order()
    order.addError(at: "lines[1].quantity", message: "is not in stock")
    #expect(order.validationErrors.map(\.description) == ["lines[1].quantity is not in stock"])
    order.lines?[1].quantity = 2
    #expect(order.validationErrors == [])
  }

  @Test func `An owner adds errors to the models inside it in its validateModel`() {
    final class Basket: Model {
      @ModelArrayField var lines: [PurchaseLine]?
      override func validateModel() {
        if let line = lines?.first, line.quantity > 5 { addError(at: "lines[0].quantity", message: "is not in stock") }
      }
    }
    let basket = Basket()
    basket.lines = [PurchaseLine()]
    basket.lines?[0].quantity = 6
    #expect(basket.validate().messages == ["lines[0].quantity is not in stock"])
    #expect(basket.validate().messages == ["lines[0].quantity is not in stock"])
  }

  @Test func `A model that is stored by its identifier, or that stores the link, is not validated`() {
    let order = order(), customer = Buyer()
    customer.id = 1
    order.customer = customer
    #expect(order.validate() == .valid)
    customer.name = "Ada"
    order.number = ""
    #expect(customer.validate() == .valid)
  }

  @Test func `The container of an embedded model is not validated with it`() {
    let order = Shipment(), line = Parcel()
    order.id.value = 1
    order.note.require(.notBlank)
    line.order.value = order
    #expect(line.validate() == .valid)
    #expect(order.validate().isInvalid)
  }

  @Test func `Asynchronous rules of embedded models are awaited`() async {
    let order = order()
    order.lines?[1].$quantity.require(code: "stock", message: "is not in stock") { quantity in
      await Task.yield()
      return quantity < 5
    }
    order.lines?[1].quantity = 6
    #expect(order.validate() == .unknown)
    #expect(await order.validateFully() == .invalid(["lines[1].quantity is not in stock"]))
    order.lines?[1].quantity = 4
    #expect(await order.validateFully() == .valid)
  }

  @Test func `A draft validates its copies of embedded models`() throws {
    let order = order()
    let draft = order.draft()
    draft.lines?[0].quantity = 0
    #expect(draft.model.validate().messages == ["lines[0].quantity must be greater than or equal to 1"])
    #expect(order.validate() == .valid)
  }

  @Test func `A chain of embedded models that require valid ones is validated once`() {
    final class Part: Model {
      @Required(.range(0...)) var number = 0
      @ModelField(configure: { $0.requireValid() }) var inner: Part?
    }
    let first = Part()
    var last = first
    for _ in 0..<50 {
      last.inner = Part()
      last = last.inner ?? last
    }
    #expect(first.validate() == .valid)
    first.inner?.inner?.number = -1
    #expect(
      first.validate().messages == [
        "inner is invalid", "inner.inner is invalid",
        "inner.inner.number must be greater than or equal to 0",
      ])
  }

  @Test func `A long chain of embedded models is validated without a deep stack`() {
    final class Link: Model {
      @Required(.range(0...)) var number = 0
      @ModelField var next: Link?
    }
    let first = Link()
    var last = first
    for _ in 0..<10_000 {
      let next = Link()
      last.next = next
      last = next
    }
    #expect(first.validate() == .valid)
    first.next?.next?.number = -1
    #expect(first.validate().messages == ["next.next.number must be greater than or equal to 0"])
  }
}
