# The linear pendulum with full-state feedback and an integrator: no static error, whatever kr.
# Veigend, PhD thesis (Brno 2023), sec. 6.2.2, Fig. 6.20.
param m = 1.5 [kg], l = 1.5 [m], g = 9.81 [m/s^2]
param d = 1 [kg/s]                        # damping
param k1 = 3 [N*s/rad], k2 = 4.7849 [N/rad]
param ki = 7 [N/rad/s], kr = 29.06999 [N/rad]
param phi_r = 0.1 [rad]

u     = -k1*phi' - k2*phi + ki*z + kr*phi_r [N]
phi'' = -d/m*phi' - g/l*phi + u/(m*l)
z'    = phi_r - phi

init phi = 0 [rad], phi' = 2 [rad/s], z = 0 [rad*s]
output e = phi_r - phi [rad]
run 0 .. 15
