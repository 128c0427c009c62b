#include <nlohmann/json.hpp>

#include "harness/core/files.hpp"
#include "harness/doctor/checks.hpp"
#include "harness/matrix/device.hpp"
#include "tests/fakes/fake_installation.hpp"

namespace highwater {
namespace {

/// A machine whose parts of the simulation are all there, as far as the program can tell.
class CliDoctor : public testing_fakes::FakeInstallation {
 protected:
  CliDoctor() {
    write_file_atomically(file("lib/highwater/libhighwater_core.so"), "");
    write_file_atomically(file("lib/highwater/simgpu/sonames.txt"), "libone.so\n");
    write_file_atomically(file("lib/highwater/simgpu/libone.so"), "");
  }

  testing_fakes::ProgramResult doctor(std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.begin(), "doctor");
    return highwater(arguments, {{"HIGHWATER_CACHE", file("cache").string()},
                                 {"HIGHWATER_PYTHON", ""},
                                 {"HIGHWATER_TORCH_DIR", ""},
                                 {"SIMGPU_CUDNN_DIR", ""}});
  }

  nlohmann::json diagnosis() const {
    return nlohmann::json::parse(doctor({"--format", "json"}).output);
  }
};

bool is_there(const nlohmann::json& diagnosis, const std::string& name) {
  for (const auto& check : diagnosis.at("checks")) {
    if (check.at("name") == name) return check.at("there").get<bool>();
  }
  ADD_FAILURE() << "no check is named " << name;
  return false;
}

TEST_F(CliDoctor, IsReadyWhereTheSimulationHasAllItNeeds) {
  const auto result = doctor();
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_NE(result.output.find("The simulation is ready."), std::string::npos);
  EXPECT_NE(result.output.find("sim:h200"), std::string::npos);
}

TEST_F(CliDoctor, ExitsWith8AndSaysWhatToDoWhereAPartIsMissing) {
  std::filesystem::remove(file("lib/highwater/simgpu/libone.so"));
  const auto result = doctor();
  EXPECT_EQ(result.status, 8);
  EXPECT_NE(result.output.find("libone.so does not exist"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("stand-ins: run scripts/setup.sh"), std::string::npos);
  EXPECT_NE(result.output.find("The simulation cannot run here yet."), std::string::npos);
  EXPECT_FALSE(is_there(diagnosis(), "stand-ins"));
}

TEST_F(CliDoctor, ShowsTheWordsOfASimulationThatDoesNotStart) {
  std::filesystem::remove(file("bin/highwater-cell"));
  const auto result = doctor();
  EXPECT_EQ(result.status, 8);
  EXPECT_NE(result.output.find("device sim:h200 is not usable here: cannot start"),
            std::string::npos)
      << result.output;
}

TEST_F(CliDoctor, FindsWhatSetUpLeftInTheCache) {
  EXPECT_FALSE(is_there(diagnosis(), "Python with matplotlib"));
  EXPECT_FALSE(is_there(diagnosis(), "cache"));
  write_file_atomically(file("cache/python-matplotlib-1/bin/python"), "");
  EXPECT_TRUE(is_there(diagnosis(), "Python with matplotlib"));
  EXPECT_TRUE(is_there(diagnosis(), "cache"));
}

TEST_F(CliDoctor, NamesEveryCheckInBothFormats) {
  const std::string text = doctor().output;
  const auto json = diagnosis();
  EXPECT_EQ(json.at("checks").size(), machine_checks().size());
  for (const Check& check : machine_checks()) {
    EXPECT_NE(text.find(check.name), std::string::npos) << check.name;
    EXPECT_FALSE(check.remedy.empty()) << check.name;
  }
}

TEST_F(CliDoctor, WritesAProfileOnce) {
  const std::vector<std::string> write = {"--write-profile", "card.json", "--device", "sim:h200"};
  const auto first = doctor(write);
  EXPECT_EQ(first.status, 0) << first.error;
  EXPECT_EQ(first.output, "card.json\ncard.cudnn.json\n");
  EXPECT_EQ(nlohmann::json::parse(read_file(file("card.json"))).at("name"), "a fake");
  const auto second = doctor(write);
  EXPECT_EQ(second.status, 2);
  EXPECT_NE(second.error.find("card.json exists; name another file, or add --force"),
            std::string::npos)
      << second.error;
  auto forced = write;
  forced.push_back("--force");
  EXPECT_EQ(doctor(forced).status, 0);
}

TEST_F(CliDoctor, ProfilesNoDeviceThatIsNotThere) {
  const auto unknown = doctor({"--write-profile", "card.json", "--device", "sim:h20"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.error.find("did you mean \"sim:h200\"?"), std::string::npos) << unknown.error;
  const auto failed = doctor({"--write-profile", "card.json", "--device", "cuda"});
  EXPECT_EQ(failed.status, 6);
  EXPECT_NE(failed.error.find("no such thing as a free lunch"), std::string::npos) << failed.error;
  EXPECT_FALSE(std::filesystem::exists(file("card.json")));
}

TEST_F(CliDoctor, RefusesFlagsThatItWouldNotLookAt) {
  EXPECT_EQ(doctor({"--device", "sim:h200"}).status, 2);
  EXPECT_EQ(doctor({"--force"}).status, 2);
  EXPECT_EQ(doctor({"--write-profile", "card.json", "--format", "json"}).status, 2);
}

}  // namespace
}  // namespace highwater
