#pragma once

#include <string>
#include <vector>

#include "harness/workload/model.hpp"
#include "harness/workload/technique.hpp"

namespace highwater {

/// Declarations by name, filled by the registration objects of models/ and techniques/.
template <class Declaration>
class Registry {
 public:
  static Registry& instance();

  /// @throws InternalError where the name is taken.
  void add(Declaration declaration);
  /// Sorted by name.
  const std::vector<Declaration>& all() const { return declarations_; }
  /// @throws UsageError with the nearest names.
  const Declaration& find(const std::string& name) const;

 private:
  std::vector<Declaration> declarations_;
};

using ModelRegistry = Registry<ModelDeclaration>;
using TechniqueRegistry = Registry<TechniqueDeclaration>;

/// One static object of these at the end of a file registers what the file declares.
struct RegisterModel {
  explicit RegisterModel(ModelDeclaration declaration);
};
struct RegisterTechnique {
  explicit RegisterTechnique(TechniqueDeclaration declaration);
};

/// Builds a model and checks that it has the declared number of parameters.
/// @throws UsageError on an unknown preset, InternalError on a wrong count.
std::shared_ptr<Model> make_model(const std::string& name, const ModelOptions& options);

/// The techniques of "a+b:2+c", in order, parameters set to the numbers that are given.
/// @throws UsageError on an unknown name, and a number for a technique that takes none.
std::vector<TechniqueDeclaration> parse_techniques(const std::string& composition);

/// The default plan with every edit applied in order.
StepPlan make_plan(const std::vector<TechniqueDeclaration>& techniques);

}  // namespace highwater
