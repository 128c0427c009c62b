#include "simgpu/cudnn/refuse.hpp"

namespace {

constexpr const char* search_advice =
    "a search for the fastest algorithm runs them all on the device, and which one wins there is "
    "not "
    "known here; leave torch.backends.cudnn.benchmark off.";
constexpr const char* legacy_advice =
    "cuDNN's interface from before version 8 plans with a device only; do not set "
    "TORCH_CUDNN_V8_API_DISABLED.";
constexpr const char* recurrent_advice =
    "cuDNN tells the sizes of recurrent layers with a device only; with "
    "torch.backends.cudnn.enabled "
    "= False Torch takes its own kernels, which are simulated.";
constexpr const char* ctc_advice =
    "cuDNN tells the workspace of its CTC loss with a device only; with "
    "torch.backends.cudnn.enabled "
    "= False Torch takes its own kernels, which are simulated.";

}  // namespace

void simgpu::cudnn::refuse_search(const char* call) {
  stop_unanswered(call, "cuDNN", search_advice);
}

SIMGPU_EXPORT_REFUSED(cudnnFindConvolutionForwardAlgorithmEx, search_advice)
SIMGPU_EXPORT_REFUSED(cudnnFindConvolutionBackwardDataAlgorithmEx, search_advice)
SIMGPU_EXPORT_REFUSED(cudnnFindConvolutionBackwardFilterAlgorithmEx, search_advice)

SIMGPU_EXPORT_REFUSED(cudnnGetConvolutionForwardAlgorithm_v7, legacy_advice)
SIMGPU_EXPORT_REFUSED(cudnnGetConvolutionBackwardDataAlgorithm_v7, legacy_advice)
SIMGPU_EXPORT_REFUSED(cudnnGetConvolutionBackwardFilterAlgorithm_v7, legacy_advice)
SIMGPU_EXPORT_REFUSED(cudnnGetConvolutionForwardWorkspaceSize, legacy_advice)
SIMGPU_EXPORT_REFUSED(cudnnGetConvolutionBackwardDataWorkspaceSize, legacy_advice)
SIMGPU_EXPORT_REFUSED(cudnnGetConvolutionBackwardFilterWorkspaceSize, legacy_advice)
SIMGPU_EXPORT_REFUSED(cudnnConvolutionForward, legacy_advice)
SIMGPU_EXPORT_REFUSED(cudnnConvolutionBiasActivationForward, legacy_advice)
SIMGPU_EXPORT_REFUSED(cudnnConvolutionBackwardData, legacy_advice)
SIMGPU_EXPORT_REFUSED(cudnnConvolutionBackwardFilter, legacy_advice)

SIMGPU_EXPORT_REFUSED(cudnnDropoutGetStatesSize, recurrent_advice)
SIMGPU_EXPORT_REFUSED(cudnnSetDropoutDescriptor, recurrent_advice)
SIMGPU_EXPORT_REFUSED(cudnnRestoreDropoutDescriptor, recurrent_advice)
SIMGPU_EXPORT_REFUSED(cudnnGetRNNTempSpaceSizes, recurrent_advice)
SIMGPU_EXPORT_REFUSED(cudnnGetRNNWeightParams, recurrent_advice)
SIMGPU_EXPORT_REFUSED(cudnnGetRNNWeightSpaceSize, recurrent_advice)
SIMGPU_EXPORT_REFUSED(cudnnRNNForward, recurrent_advice)
SIMGPU_EXPORT_REFUSED(cudnnRNNBackwardData_v8, recurrent_advice)
SIMGPU_EXPORT_REFUSED(cudnnRNNBackwardWeights_v8, recurrent_advice)

SIMGPU_EXPORT_REFUSED(cudnnGetCTCLossWorkspaceSize, ctc_advice)
SIMGPU_EXPORT_REFUSED(cudnnGetCTCLossWorkspaceSize_v8, ctc_advice)
SIMGPU_EXPORT_REFUSED(cudnnCTCLoss, ctc_advice)
SIMGPU_EXPORT_REFUSED(cudnnCTCLoss_v8, ctc_advice)
