#include "harness/workload/storage_packing.hpp"

#include <c10/core/StorageImpl.h>

#include <mutex>
#include <unordered_map>
#include <unordered_set>

namespace highwater {
namespace {

using WeakStorage = c10::weak_intrusive_ptr<c10::StorageImpl>;

at::Tensor over_storage(const c10::Storage& storage, const at::TensorOptions& options) {
  const auto elements = static_cast<std::int64_t>(storage.nbytes() / options.dtype().itemsize());
  return at::empty({0}, options).set_(storage, 0, {elements}, {1});
}

/// One packed storage. Lives as long as a node of the graph holds a hook of it.
class PackedStorage {
 public:
  PackedStorage(Unpack unpack, const at::Tensor& saved)
      : unpack_(std::move(unpack)), version_(saved._version()), dtype_(saved.scalar_type()) {}

  bool holds(const at::Tensor& saved) const {
    return version_ == saved._version() && dtype_ == saved.scalar_type();
  }

  /// The storage made whole: the one that another node is using, or a new one. Nodes on several
  /// devices ask from several threads.
  c10::Storage unpacked() {
    const std::scoped_lock lock(mutex_);
    if (auto alive = unpacked_.lock()) return c10::Storage(std::move(alive));
    const c10::Storage storage = unpack_().storage();
    unpacked_ = storage.getWeakStorageImpl();
    return storage;
  }

 private:
  Unpack unpack_;
  std::uint32_t version_;
  at::ScalarType dtype_;
  std::mutex mutex_;
  WeakStorage unpacked_{c10::intrusive_ptr<c10::StorageImpl>()};
};

/// What the hooks of one forward share. Weak on both sides: neither a storage nor its packed form
/// lives longer for being listed. The weak storage also keeps its address from being taken.
class PackedStorages {
 public:
  PackedStorages(Pack pack, const Tensors& resident) : pack_(std::move(pack)) {
    for (const at::Tensor& tensor : resident) resident_.insert(storage_of(tensor));
  }

  /// Null where the tensor is to stay as it is.
  std::shared_ptr<PackedStorage> pack(const at::Tensor& saved) {
    const bool has_bytes = saved.has_storage() && saved.storage().nbytes() > 0;
    if (!has_bytes || resident_.contains(storage_of(saved))) return nullptr;
    const auto known = packed_.find(storage_of(saved));
    if (known != packed_.end()) {
      auto packed = known->second.packed.lock();
      if (packed != nullptr && packed->holds(saved)) return packed;
    }
    return pack_anew(saved);
  }

 private:
  struct Entry {
    WeakStorage storage;
    std::weak_ptr<PackedStorage> packed;
  };

  static const c10::StorageImpl* storage_of(const at::Tensor& tensor) {
    return tensor.storage().unsafeGetStorageImpl();
  }

  std::shared_ptr<PackedStorage> pack_anew(const at::Tensor& saved) {
    Unpack unpack = pack_(over_storage(saved.storage(), saved.options()));
    if (unpack == nullptr) return nullptr;
    auto packed = std::make_shared<PackedStorage>(std::move(unpack), saved);
    packed_.insert_or_assign(storage_of(saved),
                             Entry{saved.storage().getWeakStorageImpl(), packed});
    return packed;
  }

  Pack pack_;
  std::unordered_set<const c10::StorageImpl*> resident_;
  std::unordered_map<const c10::StorageImpl*, Entry> packed_;
};

class PackingHooks final : public torch::autograd::SavedVariableHooks {
 public:
  explicit PackingHooks(std::shared_ptr<PackedStorages> shared) : shared_(std::move(shared)) {}

  void call_pack_hook(const at::Tensor& tensor) override {
    const at::NoGradGuard no_grad;
    packed_ = shared_->pack(tensor);
    shared_.reset();
    if (packed_ == nullptr) {
      as_is_ = tensor.detach();
      return;
    }
    options_ = tensor.options();
    sizes_ = tensor.sizes().vec();
    strides_ = tensor.strides().vec();
    offset_ = tensor.storage_offset();
  }

  at::Tensor call_unpack_hook() override {
    if (packed_ == nullptr) return as_is_;
    const at::NoGradGuard no_grad;
    return at::empty({0}, options_).set_(packed_->unpacked(), offset_, sizes_, strides_);
  }

 private:
  std::shared_ptr<PackedStorages> shared_;
  std::shared_ptr<PackedStorage> packed_;
  at::Tensor as_is_;
  at::TensorOptions options_;
  std::vector<std::int64_t> sizes_;
  std::vector<std::int64_t> strides_;
  std::int64_t offset_ = 0;
};

}  // namespace

SavedTensorHooksFactory pack_each_storage_once(Pack pack, const Tensors& resident) {
  const auto shared = std::make_shared<PackedStorages>(std::move(pack), resident);
  return [shared] { return std::make_unique<PackingHooks>(shared); };
}

}  // namespace highwater
