#pragma once

#include <c10/cuda/CUDAStream.h>

#include <cstddef>
#include <map>

#include "fidelity/allocator/settings.hpp"
#include "fidelity/allocator/subject.hpp"

namespace highwater::oracle {

/// Torch's own caching allocator of device 0, on a simulated GPU. One at a time: it is
/// process-wide.
class TorchSubject : public Subject {
 public:
  /// `shift` is added to every address before Torch sees it and taken off what Torch says.
  explicit TorchSubject(Address shift = 0);
  ~TorchSubject() override;

  /// Must happen while the allocator holds nothing; see to_configuration.
  void configure(const Settings& settings);

  /// Handles of `count` streams, the default stream first.
  std::vector<Stream> streams(std::size_t count);

  std::optional<Address> allocate(Bytes bytes, Stream stream) override;
  void free(Address address) override;
  void use(Address address, Stream stream) override;
  void empty_cache() override;
  void finish(Stream stream) override;
  void allow(double fraction) override;
  std::vector<Event> take_events() override;
  Layout layout() override;

 private:
  Address shift_;
  std::map<Stream, c10::cuda::CUDAStream> streams_;
};

}  // namespace highwater::oracle
