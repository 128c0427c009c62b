#pragma once

#include "fidelity/allocator/subject.hpp"

namespace highwater::oracle {

/// Brings an empty allocator into a recorded state by requests alone, a segment at a time: fetches
/// it, cuts it into its blocks in the order of their addresses, and frees the free ones after all
/// segments are there. cudaMalloc must answer the segments' addresses in the order of `layout`.
/// Throws std::runtime_error where a block does not come to lie where it should.
void rebuild(const Layout& layout, Subject& subject);

}  // namespace highwater::oracle
