/* A Vulkan layer that makes every device of every process answer nothing while a file exists.
 *
 * The file's name is in SHADERLAB_STUCK_WHILE.  What a GPU does that an endless shader holds: work is
 * accepted, its fences are never signalled, whoever waits for them waits. */

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

/* One instance and one device at a time, which is all that a child of shaderlab has. */
static PFN_vkGetInstanceProcAddr next_instance;
static PFN_vkGetDeviceProcAddr next_device;
static VkInstance the_instance;

static int stuck(void) {
    const char *path = getenv("SHADERLAB_STUCK_WHILE");
    return path != NULL && access(path, F_OK) == 0;
}

static void rest(void) {
    struct timespec a_while = {0, 10 * 1000 * 1000};
    nanosleep(&a_while, NULL);
}

static VkLayerInstanceCreateInfo *instance_link(const VkInstanceCreateInfo *info) {
    VkLayerInstanceCreateInfo *each = (VkLayerInstanceCreateInfo *)info->pNext;
    while (each && !(each->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO &&
                     each->function == VK_LAYER_LINK_INFO))
        each = (VkLayerInstanceCreateInfo *)each->pNext;
    return each;
}

static VkLayerDeviceCreateInfo *device_link(const VkDeviceCreateInfo *info) {
    VkLayerDeviceCreateInfo *each = (VkLayerDeviceCreateInfo *)info->pNext;
    while (each && !(each->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO &&
                     each->function == VK_LAYER_LINK_INFO))
        each = (VkLayerDeviceCreateInfo *)each->pNext;
    return each;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkInstance *instance) {
    VkLayerInstanceCreateInfo *link = instance_link(info);
    if (!link)
        return VK_ERROR_INITIALIZATION_FAILED;
    next_instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)next_instance(NULL, "vkCreateInstance");
    VkResult result = create(info, allocator, instance);
    the_instance = *instance;
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical,
                                                    const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator,
                                                    VkDevice *device) {
    VkLayerDeviceCreateInfo *link = device_link(info);
    if (!link)
        return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    next_device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)next(the_instance, "vkCreateDevice");
    return create(physical, info, allocator, device);
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_for_fences(VkDevice device, uint32_t count,
                                                      const VkFence *fences, VkBool32 all,
                                                      uint64_t timeout_ns) {
    if (stuck()) {
        rest();
        return VK_TIMEOUT;
    }
    PFN_vkWaitForFences wait = (PFN_vkWaitForFences)next_device(device, "vkWaitForFences");
    return wait(device, count, fences, all, timeout_ns);
}

static VKAPI_ATTR VkResult VKAPI_CALL fence_status(VkDevice device, VkFence fence) {
    if (stuck())
        return VK_NOT_READY;
    return ((PFN_vkGetFenceStatus)next_device(device, "vkGetFenceStatus"))(device, fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL device_wait_idle(VkDevice device) {
    while (stuck())
        rest();
    return ((PFN_vkDeviceWaitIdle)next_device(device, "vkDeviceWaitIdle"))(device);
}

static PFN_vkVoidFunction own(const char *name) {
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } functions[] = {
        {"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
        {"vkCreateDevice", (PFN_vkVoidFunction)create_device},
        {"vkWaitForFences", (PFN_vkVoidFunction)wait_for_fences},
        {"vkGetFenceStatus", (PFN_vkVoidFunction)fence_status},
        {"vkDeviceWaitIdle", (PFN_vkVoidFunction)device_wait_idle},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].function;
    return NULL;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device,
                                                                const char *name) {
    if (strcmp(name, "vkGetDeviceProcAddr") == 0)
        return (PFN_vkVoidFunction)device_function;
    PFN_vkVoidFunction function = own(name);
    return function ? function : next_device(device, name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_function(VkInstance instance,
                                                                  const char *name) {
    if (strcmp(name, "vkGetInstanceProcAddr") == 0)
        return (PFN_vkVoidFunction)instance_function;
    if (strcmp(name, "vkGetDeviceProcAddr") == 0)
        return (PFN_vkVoidFunction)device_function;
    PFN_vkVoidFunction function = own(name);
    return function ? function : next_instance(instance, name);
}

VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface) {
    interface->loaderLayerInterfaceVersion = 2;
    interface->pfnGetInstanceProcAddr = instance_function;
    interface->pfnGetDeviceProcAddr = device_function;
    interface->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
