#include "simgpu/device/embedded_image.hpp"

#include <gtest/gtest.h>

namespace simgpu {
namespace {

constexpr int images[] = {75, 80, 86, 90, 100, 120};

TEST(EmbeddedImage, IsTheNewestOfTheSameMajorVersionNotAboveTheDevice) {
  EXPECT_EQ(embedded_image_for(89, images), 86);
  EXPECT_EQ(embedded_image_for(90, images), 90);
  EXPECT_EQ(embedded_image_for(80, images), 80);
  EXPECT_EQ(embedded_image_for(103, images), 100);
}

TEST(EmbeddedImage, IsMissingWhereNoImageFits) {
  EXPECT_EQ(embedded_image_for(70, images), std::nullopt);
  EXPECT_EQ(embedded_image_for(110, images), std::nullopt);
}

TEST(EmbeddedImage, ComesFromTorchsOwnListByDefault) {
  EXPECT_EQ(embedded_image_for(89), 86);
  EXPECT_EQ(embedded_image_for(90), 90);
}

}  // namespace
}  // namespace simgpu
